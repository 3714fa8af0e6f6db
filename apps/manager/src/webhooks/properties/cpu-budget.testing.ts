/**
 * The CPU time that a review may take: 20 ms and 40 ns for each byte of its body, in addition to parsing the body and printing the answer. V8 takes
 * 5 to 30 ns a byte for these two, and 60 to 100 ns for one object of tens of thousands of tiny members; no webhook can avoid that.
 *
 * The measure is CPU time of the answering thread, so that other work on the machine and V8's own threads do not count. The best of several tries
 * counts, because a garbage collection or the first run of a function may fall into one of them. Other work also slows a core down: a body of a
 * constant shape measures by how much.
 */
import { memberAt, parseLossless, stringifyLossless } from '@kruise/objects';

const limitMs = 20;
const limitMsPerByte = 40e-6;
const mostTries = 6;

async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const roundTrip = (body: string): string => stringifyLossless(parseLossless(body));

/** An ordinary object, many times. */
const ordinary = JSON.stringify(
  Array.from({ length: 2000 }, (_, index) => ({
    metadata: { name: `web-${index}`, namespace: 'default', labels: { app: 'web', tier: 'front' } },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/web:1', env: [{ name: 'LEVEL', value: 'debug' }] }] },
  })),
);
/** What a round trip of it takes where the bounds were set. */
const usualMsPerByte = 8e-6;

/** By how much the core is slower than usual. */
async function slowness(): Promise<number> {
  const costs = [await cpuMsOf(() => roundTrip(ordinary)), await cpuMsOf(() => roundTrip(ordinary))];
  return Math.max(1, Math.min(...costs) / ordinary.length / usualMsPerByte);
}

/** What every webhook parses and prints: the body, and the patch of the answer, which may be longer (a part of a Pod that all sidecars share). */
async function unavoidableMs(body: Buffer, answer: string | undefined): Promise<number> {
  const patch = answer === undefined ? undefined : memberAt(parseLossless(answer), 'response', 'patch');
  if (typeof patch !== 'string') return cpuMsOf(() => roundTrip(body.toString()));
  const printed = parseLossless(Buffer.from(patch, 'base64').toString());
  const text = body.toString();
  return cpuMsOf(() => [parseLossless(text), stringifyLossless(printed)]);
}

/**
 * @param work gives the text of the answer to a review; nothing for other questions
 * @returns what was too dear, in words; undefined when nothing was
 */
export async function excessOf(body: Buffer, work: () => Promise<string | undefined>): Promise<string | undefined> {
  const most = limitMs + limitMsPerByte * body.length;
  const failed: string[] = [];
  while (failed.length < mostTries) {
    let answer: string | undefined;
    const all = await cpuMsOf(async () => (answer = await work()));
    if (all <= most) return undefined;
    const unavoidable = await unavoidableMs(body, answer);
    const own = all - unavoidable;
    const limit = own <= most ? most : most * (await slowness());
    if (own <= limit) return undefined;
    failed.push(`${Math.round(own)} where ${Math.round(limit)} are allowed, and ${Math.round(unavoidable)} for reading and printing`);
  }
  return `${body.length} bytes, ms of CPU of its own: ${failed.join('; ')}`;
}
