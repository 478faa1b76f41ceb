import { redirect, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { PlainPage } from "../components/frame/plain-page.tsx";

export const meta: MetaFunction = () => [
  { title: "Customer identity" },
  { name: "description", content: "Customer accounts, consent and tags for your store." },
];

/** A launch's parameters for the page; its signature is for this URL only and is not passed on. */
const LAUNCH_PARAMETERS = ["shop", "host", "embedded", "locale"];

export function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const launch = [...searchParams].filter(([name]) => LAUNCH_PARAMETERS.includes(name));
  if (searchParams.has("shop")) throw redirect(`/app?${new URLSearchParams(launch)}`);
  return null;
}

export default function Landing() {
  return (
    <PlainPage title="Customer identity">
      <p>
        One account for every shopper of your store, with their consent on record and their tags in
        sync.
      </p>
      <ul>
        <li>Sign-in with a password or with the store's own customer accounts</li>
        <li>Consent that is recorded, shown and withdrawn in one place</li>
        <li>Customers kept in sync with the systems you connect</li>
      </ul>
      <p>To begin, open the app from your store admin.</p>
      <p>
        <a href="/privacy">Privacy policy</a>
      </p>
    </PlainPage>
  );
}
