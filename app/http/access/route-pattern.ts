// Where an access happened: a path with the names of its parameters in place of their values, which
// may name a person.
export function routePatternOf(
  path: string,
  params: Readonly<Record<string, string | undefined>>,
): string {
  // Values are replaced from the end: a value may be equal to a fixed segment before it.
  const unused = Object.entries(params);
  return path
    .split("/")
    .toReversed()
    .map((segment) => {
      const value = decode(segment);
      const at = unused.findLastIndex(([, given]) => given === value);
      if (at < 0) return segment;
      const [[name] = [""]] = unused.splice(at, 1);
      return `:${name}`;
    })
    .toReversed()
    .join("/");
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
