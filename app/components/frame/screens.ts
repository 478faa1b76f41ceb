/** The screens of the app in the order of its menu. */
export const SCREENS = [
  { name: "home", path: "/app" },
  { name: "customers", path: "/app/customers" },
  { name: "segments", path: "/app/segments" },
  { name: "tags", path: "/app/tags" },
  { name: "consent", path: "/app/consent" },
  { name: "events", path: "/app/events" },
  { name: "agents", path: "/app/agents" },
  { name: "privacy", path: "/app/privacy" },
  { name: "settings", path: "/app/settings" },
] as const;
