/** Drawings of the products that the sandbox's stores begin with; any other product gets a parcel. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("pictures/", import.meta.url));
const OTHERS = "product";

/** A name like `camp-lantern.svg`; null where there is no such drawing. */
export const readPicture = (name: string): string | null =>
  /^[a-z0-9-]{1,60}\.svg$/.test(name) && existsSync(FOLDER + name)
    ? readFileSync(FOLDER + name, "utf8")
    : null;

export const pictureOf = (shop: string, handle: string): string =>
  `/store/${shop}/pictures/${readPicture(`${handle}.svg`) ? handle : OTHERS}.svg`;
