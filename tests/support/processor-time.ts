/**
 * Processor time of this process in milliseconds. Other load on the machine does not count, as it
 * does on a clock.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
