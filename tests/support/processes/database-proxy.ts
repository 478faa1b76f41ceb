// A proxy between the service and its database that a test can interrupt.
import { Transform } from "node:stream";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export type DatabaseProxy = {
  /** The database's address through the proxy. */
  url: string;
  /** Closes every connection; new ones work. */
  cut(): void;
  /** Closes every connection and refuses new ones, until `restore`. */
  refuse(): Promise<void>;
  /** Keeps every connection, old and new, without forwarding anything, until `restore`. */
  silence(): void;
  /**
   * Keeps the next statement with this text from the database until `release`; `held` is fulfilled when it
   * has come.
   */
  hold(text: string): { held: Promise<void>; release(): void };
  /**
   * Keeps the answer to the COMMIT of the next transaction with this text from the service, until `cut`;
   * `committing` is fulfilled when the database has been asked.
   */
  keepCommitAnswer(text: string): { committing: Promise<void> };
  /** Stalls the present connections for good; new ones work. */
  deafen(): void;
  restore(): Promise<void>;
  /** The target of new connections: a restarted database has another port. */
  leadTo(directUrl: string): void;
  stop(): Promise<void>;
};

export async function startDatabaseProxy(directUrl: string): Promise<DatabaseProxy> {
  let target = new URL(directUrl);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) =>
    void sockets.add(socket.on("error", () => {}).once("close", () => sockets.delete(socket)));
  let server: Server | null = null;
  let port = 0;
  let isSilent = false;
  let holding: { text: string; arrive(): void; released: Promise<void> } | null = null;
  let keeping: { text: string; of: Socket | null; arrive(): void } | null = null;
  const watchCommit = (chunk: Buffer, far: Socket) => {
    if (!keeping) return;
    if (keeping.of === null && chunk.includes(keeping.text)) keeping.of = far;
    if (keeping.of !== far || !chunk.includes("COMMIT")) return;
    far.unpipe();
    keeping.arrive();
    keeping = null;
  };
  const holdBack = (far: Socket) =>
    new Transform({
      transform(chunk: Buffer, _, forward) {
        watchCommit(chunk, far);
        if (!holding || !chunk.includes(holding.text)) return forward(null, chunk);
        const { arrive, released } = holding;
        holding = null;
        arrive();
        void released.then(() => forward(null, chunk));
      },
    });

  const listen = () =>
    new Promise<void>((ready, reject) => {
      const opened = createServer((near) => {
        const far = connect(Number(target.port), target.hostname);
        keep(near);
        keep(far);
        if (!isSilent) near.pipe(holdBack(far)).pipe(far).pipe(near);
        near.once("close", () => far.destroy());
        far.once("close", () => near.destroy());
      });
      server = opened;
      opened.once("error", reject).listen(port, "127.0.0.1", () => {
        port = (opened.address() as AddressInfo).port;
        ready();
      });
    });
  const cut = () => sockets.forEach((socket) => socket.resetAndDestroy());
  const refuse = async () => {
    const closed = new Promise((done) => (server ? server.close(done) : done(null)));
    server = null;
    cut();
    await closed;
  };

  // Nothing is read any more, not even the end of the stream.
  const deafen = () => sockets.forEach((socket) => socket.unpipe().pause());
  const silence = () => {
    isSilent = true;
    sockets.forEach((socket) => socket.unpipe());
  };
  const restore = async () => {
    // A connection that lost bytes cannot continue.
    if (isSilent) cut();
    isSilent = false;
    if (!server) await listen();
  };

  const hold = (text: string) => {
    let arrive!: () => void;
    let release!: () => void;
    const held = new Promise<void>((done) => (arrive = done));
    const released = new Promise<void>((done) => (release = done));
    holding = { text, arrive, released };
    return { held, release };
  };

  const keepCommitAnswer = (text: string) => ({
    committing: new Promise<void>((arrive) => (keeping = { text, of: null, arrive })),
  });

  await listen();
  const url = new URL(directUrl);
  url.port = String(port);
  return {
    url: url.href,
    cut,
    refuse,
    silence,
    hold,
    keepCommitAnswer,
    deafen,
    restore,
    leadTo: (newUrl) => void (target = new URL(newUrl)),
    stop: refuse,
  };
}
