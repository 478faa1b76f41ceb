import { data, type MetaFunction } from "@remix-run/node";
import { NotFoundPage } from "../components/frame/plain-page.tsx";

export const meta: MetaFunction = () => [{ title: "This page does not exist" }];

export const loader = () => data(null, { status: 404 });
// Remix requires both names.
export { loader as action };

export default NotFoundPage;
