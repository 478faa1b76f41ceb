import { createContext } from "react";

/** The nonce of this response's scripts; empty in the browser, which hides it. */
export const NonceContext = createContext<string | undefined>(undefined);
