// The setup guide inside the store admin; its buttons, here and on the app's home, post to this page.
import {
  data,
  type ActionFunctionArgs,
  type HeadersFunction,
  type LoaderFunctionArgs,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { TitleBar } from "@shopify/app-bridge-react";
import { Page } from "@shopify/polaris";
import { boundary } from "@shopify/shopify-app-remix/server";
import { GUIDE_WORDS } from "../components/setup-guide/setup-guide-words.ts";
import { SetupGuideCard } from "../components/setup-guide/setup-guide-card.tsx";
import { useWords } from "../components/words.tsx";
import { actOnGuide, isGuideIntent, readSetupGuide } from "../domain/setup-guide.ts";

export async function loader({ request, context: { ctx, shopify } }: LoaderFunctionArgs) {
  const { shop } = await shopify.authenticateAdmin(request);
  return { guide: await readSetupGuide(ctx, shop) };
}

export async function action({ request, context: { ctx, shopify } }: ActionFunctionArgs) {
  const { shop } = await shopify.authenticateAdmin(request);
  const intent = (await request.formData()).get("intent");
  if (!isGuideIntent(intent)) throw data(null, { status: 400 });
  return actOnGuide(ctx, shop, intent);
}

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Setup() {
  const { guide } = useLoaderData<typeof loader>();
  const { title } = useWords(GUIDE_WORDS);
  return (
    <>
      <TitleBar title={title} />
      <Page>
        <SetupGuideCard guide={guide} action="/app/setup" settingsUrl="/app/settings" isEmbedded />
      </Page>
    </>
  );
}

export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";
