/** The drawings of the admin's menu, 20 pixels each. */
import { trusted, type Html } from "../../html.ts";

const icon = (path: string): Html =>
  trusted(
    `<svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.500" stroke-linejoin="round" stroke-linecap="round" aria-hidden="true">${path}</svg>`,
  );

export const ICONS = {
  home: icon('<path d="M3.500 9L10 3.500 16.500 9v7.500h-4.500v-4h-4v4H3.500z"/>'),
  orders: icon('<path d="M4 3.500h12l1 8v5H3v-5zM3 11.500h4.500a2.500 2.500 0 0 0 5 0H17"/>'),
  products: icon(
    '<path d="M3.500 10.500v-6a1 1 0 0 1 1-1h6l6.500 6.500-7 7z"/><circle cx="7" cy="7" r="1"/>',
  ),
  customers: icon(
    '<circle cx="10" cy="6.500" r="3"/><path d="M4 16.500c.5-3.500 3-5 6-5s5.500 1.500 6 5z"/>',
  ),
  store: icon(
    '<path d="M3.500 8l1.500-4.500h10L16.500 8a2 2 0 0 1-4.300 0 2.200 2.200 0 0 1-4.400 0A2 2 0 0 1 3.500 8zM4.500 10v6.500h11V10"/>',
  ),
  apps: icon(
    '<rect x="3.500" y="3.500" width="5" height="5" rx="1"/><rect x="11.500" y="3.500" width="5" height="5" rx="1"/><rect x="3.500" y="11.500" width="5" height="5" rx="1"/><path d="M14 11.500v5M11.500 14h5"/>',
  ),
  flow: icon(
    '<rect x="3.500" y="3.500" width="5" height="5" rx="1"/><rect x="11.500" y="11.500" width="5" height="5" rx="1"/><path d="M8.500 6h3a2.500 2.500 0 0 1 2.500 2.500v3"/>',
  ),
  settings: icon(
    '<circle cx="10" cy="10" r="2.500"/><path d="M10 3v2M10 15v2M3 10h2M15 10h2M5 5l1.500 1.500M13.500 13.500L15 15M15 5l-1.500 1.500M6.500 13.500L5 15"/>',
  ),
  search: icon('<circle cx="9" cy="9" r="4.500"/><path d="M12.500 12.500L16 16"/>'),
  menu: icon('<path d="M3.500 5.500h13M3.500 10h13M3.500 14.500h13"/>'),
  eye: icon(
    '<path d="M2.500 10c2-3.500 4.500-5 7.500-5s5.500 1.500 7.500 5c-2 3.500-4.500 5-7.500 5s-5.500-1.500-7.500-5z"/><circle cx="10" cy="10" r="2.200"/>',
  ),
};
