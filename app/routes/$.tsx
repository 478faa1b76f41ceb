import { data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/node";
import { NotFoundPage } from "../components/frame/plain-page.tsx";
import { textOf } from "../components/i18n/translations.server.ts";

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [{ title: page?.title }];

export const loader = ({ request }: LoaderFunctionArgs) =>
  data({ title: textOf(request, "frame", "problems.404.title") }, { status: 404 });
// Remix requires both names.
export { loader as action };

export default NotFoundPage;
