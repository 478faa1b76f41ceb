// The parts of autocannon that the benchmarks use; it ships no types.
declare module "autocannon" {
  import type { EventEmitter } from "node:events";
  type Request = {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: string;
  };
  type Options = {
    url: string;
    connections: number;
    duration: number;
    requests: { method: string; path: string; setupRequest(request: Request): Request }[];
  };
  type Result = {
    duration: number;
    errors: number;
    timeouts: number;
    non2xx: number;
    "2xx": number;
  };
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
