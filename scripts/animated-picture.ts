// Joins screenshots into one animated PNG (APNG, a part of the PNG specification since its third edition).
// Browsers and code hosts show it like any picture; a viewer that does not know it shows the first frame.
import { crc32 } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

type Chunk = { type: string; data: Buffer };

export type Frame = {
  /** A PNG; all frames have one size. */
  png: Buffer;
  /** How long it is shown, at most 65 s. */
  ms: number;
};

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE.length; at < png.length;) {
    const size = png.readUInt32BE(at);
    yield {
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + size),
    };
    at += size + 12;
  }
}

function toBytes({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

function frameControl(sequence: number, header: Buffer, ms: number): Chunk {
  const data = Buffer.alloc(26);
  data.writeUInt32BE(sequence, 0);
  // Width and height; the frame covers the whole picture, without blending.
  header.copy(data, 4, 0, 8);
  data.writeUInt16BE(ms, 20);
  data.writeUInt16BE(1_000, 22);
  return { type: "fcTL", data };
}

function numbered(sequence: number, data: Buffer): Chunk {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(sequence);
  return { type: "fdAT", data: Buffer.concat([number, data]) };
}

/** Repeats for ever. Throws when there is no frame, or when the sizes differ. */
export function joinFrames(frames: readonly Frame[]): Buffer {
  const header = frames[0] && chunksOf(frames[0].png).next().value?.data;
  if (!header) throw new Error("an animated picture needs a frame");
  const control = Buffer.alloc(8);
  control.writeUInt32BE(frames.length);
  const chunks: Chunk[] = [
    { type: "IHDR", data: header },
    { type: "acTL", data: control },
  ];
  let sequence = 0;
  for (const [place, { png, ms }] of frames.entries()) {
    const parts = [...chunksOf(png)];
    if (!parts[0]?.data.equals(header)) throw new Error("the frames differ in size");
    chunks.push(frameControl(sequence++, header, ms));
    for (const { type, data } of parts)
      if (type === "IDAT") chunks.push(place === 0 ? { type, data } : numbered(sequence++, data));
  }
  chunks.push({ type: "IEND", data: Buffer.alloc(0) });
  return Buffer.concat([SIGNATURE, ...chunks.map(toBytes)]);
}
