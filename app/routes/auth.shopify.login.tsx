// The end of a request without a store. There is no form for a store's domain: an installation
// starts in the store admin.
import type { MetaFunction } from "@remix-run/node";
import { PlainPage } from "../components/frame/plain-page.tsx";

export const meta: MetaFunction = () => [{ title: "Open the app in your store admin" }];

export default function Login() {
  return (
    <PlainPage title="Open the app in your store admin">
      <p>
        This page cannot tell which store you mean. In your store admin, choose Apps and open this
        app from there.
      </p>
    </PlainPage>
  );
}
