/**
 * What a review may cost. It is CPU of the thread that answers, so that neither other work on the machine counts nor what V8 does beside it; and the
 * best of several tries, as a collection of garbage, or code that runs for the first time, may fall into one. Each try is compared with a round trip
 * right after it, as other work on the machine makes both of them slow.
 */
import { parseLossless, stringifyLossless } from '@kruise/objects';

const limitMs = 20;
const limitMsPerByte = 40e-6;
/**
 * Reading and printing a body costs 15 to 30 ns a byte as a rule, but 60 to 100 where it is one object of tens of thousands of tiny members, each of
 * which V8 looks up by its hash. No webhook can be quicker than that, and where the core is slow both are. So much may come on top: a webhook reads
 * the body (one), copies what it changes (another), and looks at each member a few times (two).
 */
const mostRoundTrips = 4;
const mostTries = 6;

async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const roundTrip = (body: Buffer): string => stringifyLossless(parseLossless(body.toString()));

/** @returns what was too dear, in words; undefined when nothing was */
export async function excessOf(body: Buffer, work: () => Promise<unknown>): Promise<string | undefined> {
  const plain = limitMs + limitMsPerByte * body.length;
  const failed: string[] = [];
  while (failed.length < mostTries) {
    const cost = await cpuMsOf(work);
    if (cost <= plain) return undefined;
    const most = plain + mostRoundTrips * (await cpuMsOf(() => roundTrip(body)));
    if (cost <= most) return undefined;
    failed.push(`${Math.round(cost)} where ${Math.round(most)} are allowed`);
  }
  return `${body.length} bytes, ms of CPU: ${failed.join(', ')}`;
}
