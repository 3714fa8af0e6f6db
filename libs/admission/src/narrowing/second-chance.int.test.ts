/** The API server calls again when a call was lost, and only then. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { instant } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { generateKeyMaterial } from '../certificates/generate.ts';
import { narrowWebhook } from './narrow-webhook.ts';

/** `Undecided` and `Stopping` are the answers of a server that reaches no decision in time, and of one that ends. */
type Answer = 'Lose' | 'Hang' | 'Undecided' | 'Stopping' | 'Mark' | 'Allow' | 'Deny';

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const mark = [{ op: 'add', path: '/metadata/annotations', value: { marked: 'yes' } }];

describe('a second chance on an API server', () => {
  let plane: ControlPlane;
  let server: Server;
  /** The behaviour of the next calls; `Mark` when it is used up. */
  let script: Answer[] = [];
  let calls = 0;
  const protocols = new Set<string>();

  const responseFor = (answer: Answer): object => {
    if (answer === 'Deny') return { allowed: false, status: { message: 'no' } };
    return answer === 'Mark'
      ? { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(mark)).toString('base64') }
      : { allowed: true };
  };

  beforeAll(async () => {
    const { key, cert, caCert } = await generateKeyMaterial('localhost', instant(Date.now()));
    server = createServer({ key, cert }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        calls++;
        protocols.add(request.httpVersion);
        const answer = script.shift() ?? 'Mark';
        if (answer === 'Lose') request.socket.destroy();
        if (answer === 'Lose' || answer === 'Hang') return;
        if (answer === 'Undecided' || answer === 'Stopping') {
          if (answer === 'Stopping') response.setHeader('retry-after', 1);
          response.writeHead(503).end();
          return;
        }
        const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly request: { readonly uid: string } };
        const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
        response.end(JSON.stringify({ ...body, response: { uid: review.request.uid, ...responseFor(answer) } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    plane = await startControlPlane();
    const installed = {
      name: 'mpod.kb.io',
      admissionReviewVersions: ['v1'],
      clientConfig: {
        url: `https://localhost:${(server.address() as AddressInfo).port}/mutate-pod`,
        caBundle: Buffer.from(caCert).toString('base64'),
      },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 30,
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    };
    const needs = ['one', 'two'].map((reason) => ({ reason, objectSelector: { matchLabels: { [reason]: 'yes' } } }));
    const answered = 'has(object.metadata.annotations) && "marked" in object.metadata.annotations';
    const webhooks = narrowWebhook(installed, { needs, answered });
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata: { name: 'x' }, webhooks };
    await plane.api.request(configurations, { method: 'POST', body });
    const deadline = performance.now() + 120_000;
    while (calls === 0 && performance.now() < deadline) await create();
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await plane.stop();
  });

  async function create(annotations?: Readonly<Record<string, string>>): Promise<string> {
    const labels = { one: 'yes', two: 'yes' };
    const metadata = { generateName: 'p-', labels, ...(annotations === undefined ? {} : { annotations }) };
    const body = { metadata, spec: { containers: [{ name: 'main', image: 'x' }] } };
    try {
      const pod = await plane.api.request('/api/v1/namespaces/default/pods?dryRun=All', { method: 'POST', body });
      return JSON.stringify(pod).includes('"marked":"yes"') ? 'marked' : 'not marked';
    } catch (error) {
      return /webhook "[^"]*"/.exec(String(error))?.[0] ?? String(error);
    }
  }

  it.each<{ name: string; meets: Answer[]; bears?: Readonly<Record<string, string>>; then: string; calls: number }>([
    { name: 'calls once when it is answered', meets: ['Mark'], then: 'marked', calls: 1 },
    { name: 'calls again when the connection broke', meets: ['Lose', 'Mark'], then: 'marked', calls: 2 },
    { name: 'calls again when there was no answer in time', meets: ['Hang', 'Mark'], then: 'marked', calls: 2 },
    { name: 'calls again when there was no decision', meets: ['Undecided', 'Mark'], then: 'marked', calls: 2 },
    { name: 'calls again when the server ends', meets: ['Stopping', 'Mark'], then: 'marked', calls: 2 },
    {
      name: 'calls again about a copy when the server ends',
      meets: ['Stopping', 'Mark'],
      bears: { marked: 'yes' },
      then: 'marked',
      calls: 2,
    },
    {
      name: 'refuses a copy without a decision',
      meets: ['Undecided'],
      bears: { marked: 'yes' },
      then: 'webhook "again.mpod.kb.io"',
      calls: 1,
    },
    {
      name: 'refuses after the second loss, under the name of the part',
      meets: ['Lose', 'Lose'],
      then: 'webhook "one.mpod.kb.io"',
      calls: 2,
    },
    { name: 'calls again when nothing was changed', meets: ['Allow', 'Allow'], then: 'not marked', calls: 2 },
    { name: 'calls once about a copy', meets: ['Allow'], bears: { marked: 'yes' }, then: 'marked', calls: 1 },
    {
      name: 'refuses a copy after a loss',
      meets: ['Lose'],
      bears: { marked: 'yes' },
      then: 'webhook "again.mpod.kb.io"',
      calls: 1,
    },
    { name: 'treats a refusal as an answer', meets: ['Deny'], then: 'webhook "first.mpod.kb.io"', calls: 1 },
  ])('$name', async ({ meets, bears, then, calls: expected }) => {
    script = [...meets];
    calls = 0;
    expect(await create(bears)).toBe(then);
    expect(calls).toBe(expected);
  });

  it('uses a connection for one call at a time', () => {
    expect([...protocols]).toEqual(['1.1']);
  });
});
