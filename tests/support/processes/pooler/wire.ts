// As much of PostgreSQL's protocol as a pooler needs
// (https://www.postgresql.org/docs/current/protocol-message-formats.html).
import type { Socket } from "node:net";

export type Message = { type: string; body: Buffer };

/** Calls `onMessage` for each whole message; `startup` reads the first ones, which have no type. */
export function readMessages(
  socket: Socket,
  onMessage: (message: Message) => void,
  startup?: (body: Buffer) => boolean,
): void {
  let rest = Buffer.alloc(0);
  let isStarting = startup !== undefined;
  socket.on("data", (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const header = isStarting ? 0 : 1;
      if (rest.length < header + 4) return;
      const end = header + rest.readInt32BE(header);
      if (rest.length < end) return;
      const body = rest.subarray(header + 4, end);
      const type = isStarting ? "" : String.fromCharCode(rest[0]!);
      rest = rest.subarray(end);
      if (isStarting) isStarting = !startup!(body);
      else onMessage({ type, body });
    }
  });
}

export function message(type: string, ...parts: (string | Buffer | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === "string") return Buffer.from(`${part}\0`);
      if (typeof part !== "number") return part;
      const int = Buffer.alloc(4);
      int.writeInt32BE(part);
      return int;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export const encode = ({ type, body }: Message): Buffer => message(type, body);

export const fatal = (code: string, text: string): Buffer =>
  message("E", "SFATAL", "VFATAL", `C${code}`, `M${text}`, Buffer.from([0]));

/** Strings that end with a zero byte. */
export const strings = (body: Buffer): string[] => body.toString("utf8").split("\0");
