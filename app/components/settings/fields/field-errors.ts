// The text for a rejected field. The server's reason is for the API; the first matching pattern decides.
import type { ParseKeys } from "i18next";

type Problem = Extract<ParseKeys<"settings">, `problems.${string}`>;

const PROBLEMS: [reason: RegExp, key: Problem][] = [
  [/changed meanwhile/, "problems.changedMeanwhile"],
  [/private address|folder of this machine|own archive/, "problems.privateAddress"],
  [/s3:\/\//, "problems.storageAddress"],
  [/https:\/\/|url/i, "problems.url"],
  [/a color/, "problems.color"],
  [/Display Name/, "problems.sender"],
  [/e-?mail/i, "problems.email"],
  [/G-ABC123/, "problems.measurementId"],
  [/at least 16/, "problems.atLeast16"],
  [/another store/, "problems.otherStore"],
  [/masked value/, "problems.maskedValue"],
  [/set by the platform/, "problems.byPlatform"],
  [/shared stores/, "problems.sharedStore"],
  [/wildcards/, "problems.wildcards"],
  [/channel name/, "problems.channelName"],
  [/host name/, "problems.hostName"],
  [/datetime/i, "problems.dateTime"],
  [/number/i, "problems.number"],
  [/too big/i, "problems.tooLong"],
  [/too small/i, "problems.tooShort"],
];

/** The saved value is another one than the form was opened with. */
export const isConflict = (reason: string | undefined): boolean =>
  reason !== undefined && problemKey(reason) === "problems.changedMeanwhile";

export const problemKey = (reason: string): Problem =>
  PROBLEMS.find(([pattern]) => pattern.test(reason))?.[1] ?? "problems.other";
