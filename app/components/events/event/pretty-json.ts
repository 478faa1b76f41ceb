// A JSON text with line breaks. As text, not parsed: it may be cut, and its numbers may be longer than
// a number here.
const TOKENS = /"(?:[^"\\]|\\(?:.|$))*(?:"|$)|[{}[\],:]|[^\s{}[\],:"]+/gs;

export function prettyJson(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text;
  let depth = 0;
  let shown = "";
  const newLine = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(TOKENS)) {
    const isEmptyEnd = (token === "}" || token === "]") && /[{[]$/.test(shown);
    if (/^[}\]]$/.test(token)) {
      depth = Math.max(0, depth - 1);
      shown += isEmptyEnd ? token : newLine() + token;
    } else {
      const isFirst = /[{[]$/.test(shown);
      if (isFirst) shown += newLine();
      shown += token === ":" ? ": " : token;
      if (token === ",") shown += newLine();
      if (token === "{" || token === "[") depth += 1;
    }
  }
  return shown;
}
