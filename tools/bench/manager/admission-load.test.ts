import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { fileSource } from '@kruise/admission';
import { SystemClock } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { milliseconds, pods } from '@kruise/objects';
import { AdmissionLoad, latenciesOf } from './admission-load.ts';

const answerMs = 5;
const reviews = 1_500;

it('lets reviews wait for which a slow server has no stream', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'kruise-load-'));
  const options = { host: 'localhost', renewBefore: milliseconds(1000), clock: new SystemClock(), logger: silentLogger() };
  const { key, cert } = await fileSource(folder.path, options).ensure(AbortSignal.timeout(60_000));
  await using server = createSecureServer({ key, cert, settings: { maxConcurrentStreams: 10 } });
  server.on('stream', (stream) => {
    const answer = (): void => {
      stream.respond({ ':status': 200 });
      stream.end('{}');
    };
    stream.resume().on('end', () => setTimeout(answer, answerMs));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const object = { metadata: { name: 'a', annotations: { filling: 'x'.repeat(12_000) } } };
  await using load = await AdmissionLoad.connect({ port, certificates: folder.path }, [{ path: '/mutate-pod', type: pods, object }]);
  await load.burst(reviews, reviews);
  const { calls, p50Ms, p99Ms } = latenciesOf(load.take());
  expect(calls).toBe(reviews);
  expect(p50Ms).toBeGreaterThan(answerMs);
  expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
});
