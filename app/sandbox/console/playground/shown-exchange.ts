/** A call of the playground's agent as its page shows it: text, without credentials. */
import type { Exchange } from "../live/act.ts";

export type ShownExchange = {
  id: number;
  step: string;
  from: string;
  text: string;
  request: string;
  response: string;
  status: number;
  ms: number;
};

const MAX_SHOWN_CHARACTERS = 6_000;

export function showExchange({
  from,
  text,
  method,
  path,
  call,
  answer,
}: Exchange): Omit<ShownExchange, "id" | "step"> {
  return {
    from,
    text,
    request: toText([`${method} ${path}`, ...headerLines(call), "", bodyText(call)]),
    response: toText([String(answer.status), "", answerText(answer)]),
    status: answer.status,
    ms: answer.ms,
  };
}

/** Credentials are shown by their beginning only, in headers, addresses and bodies alike. */
function toText(lines: string[]): string {
  const text = lines
    .join("\n")
    .trim()
    .replace(/\b(agt_\w{0,4})[\w.~-]*/g, "$1…")
    .replace(/((?:code|code_verifier|csrf|session_code)=[\w.~-]{4})[\w.~-]+/g, "$1…");
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n…` : text;
}

/** Ada's cookie is hers: a page that shows it would be one that gives it away. */
const headerLines = ({ headers = {} }: Exchange["call"]): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${name === "cookie" ? "…" : value}`);

const bodyText = ({ json, form }: Exchange["call"]): string =>
  form ? new URLSearchParams(form).toString() : json === undefined ? "" : pretty(json);

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

function answerText({ text, headers }: Exchange["answer"]): string {
  const location = headers.get("location");
  if (location) return `location: ${location}`;
  try {
    return pretty(JSON.parse(text));
  } catch {
    const title = /<title>([^<]{0,200})/.exec(text)?.[1];
    return title === undefined ? text : `A page: ${title}`;
  }
}
