/** The API server accepts the conditions and calls for the right Pods. No server answers, so that a call means a refusal. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { narrowWebhook } from './narrow-webhook.ts';
import type { RequestNeed } from './request-need.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const name = 'under-test';

const installed = {
  name: 'mpod.kb.io',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://127.0.0.1:1/mutate-pod' },
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 1,
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
  namespaceSelector: { matchExpressions: [{ key: 'control-plane', operator: 'DoesNotExist' }] },
};

interface Pod {
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly env?: readonly object[];
}

describe('a narrowed webhook on an API server', () => {
  let plane: ControlPlane;
  let version = 0;
  let probes = 0;

  beforeAll(async () => {
    plane = await startControlPlane();
    for (const [namespace, labels] of Object.entries({
      plain: {},
      shop: { inject: 'yes', team: 'a' },
      system: { 'control-plane': 'x', inject: 'yes' },
    }))
      await plane.api.request('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: namespace, labels } } });
  });
  afterAll(() => plane.stop());

  const bodyOf = ({ namespace, labels, annotations, env }: Pod): object => ({
    metadata: {
      generateName: 'p-',
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { containers: [{ name: 'main', image: 'x', ...(env === undefined ? {} : { env }) }] },
  });
  const create = (pod: Pod): Promise<string> =>
    plane.api.request(`/api/v1/namespaces/${pod.namespace}/pods?dryRun=All`, { method: 'POST', body: bodyOf(pod) }).then(
      () => 'admitted',
      (error: unknown) => /failed calling webhook "([^"]*)"/.exec(String(error))?.[1] ?? String(error),
    );

  /** Applies the needs, and a probe whose refusal shows that the API server uses them. */
  async function narrowTo(needs: readonly RequestNeed[]): Promise<void> {
    const probe = `probe-${++probes}`;
    const webhooks = narrowWebhook(installed, { needs: [...needs, { reason: probe, objectSelector: { matchLabels: { probe } } }] });
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration', metadata: { name }, webhooks };
    if (version++ === 0) await plane.api.request(configurations, { method: 'POST', body });
    else {
      const { metadata } = (await plane.api.request(`${configurations}/${name}`)) as { metadata: object };
      await plane.api.request(`${configurations}/${name}`, { method: 'PUT', body: { ...body, metadata } });
    }
    await expect(untilAsked({ namespace: 'plain', labels: { probe } })).resolves.toBe(`${probe}.mpod.kb.io`);
  }

  async function untilAsked(pod: Pod): Promise<string> {
    const deadline = performance.now() + 120_000;
    for (;;) {
      const answer = await create(pod);
      if (answer !== 'admitted' || performance.now() > deadline) return answer;
    }
  }

  it.each<{ name: string; need: RequestNeed; asked: readonly Pod[]; notAsked: readonly Pod[] }>([
    {
      name: 'the longest possible names of 1,000 namespaces',
      need: {
        reason: 'r',
        condition: 'has(object.spec)',
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'kubernetes.io/metadata.name',
              operator: 'In',
              values: ['shop', ...Array.from({ length: 999 }, (_none, index) => `n${index}`.padEnd(63, 'x'))],
            },
          ],
        },
      },
      asked: [{ namespace: 'shop' }],
      notAsked: [{ namespace: 'plain' }],
    },
    {
      name: 'labels with every operator',
      need: {
        reason: 'r',
        objectSelector: {
          matchLabels: { app: 'web' },
          matchExpressions: [
            { key: 'tier', operator: 'NotIn', values: ['db', 'cache'] },
            { key: 'example.com/x', operator: 'Exists' },
            { key: 'no', operator: 'DoesNotExist' },
          ],
        },
      },
      asked: [
        { namespace: 'plain', labels: { app: 'web', 'example.com/x': '' } },
        { namespace: 'plain', labels: { app: 'web', 'example.com/x': '1', tier: 'front' } },
      ],
      notAsked: [
        { namespace: 'plain' },
        { namespace: 'plain', labels: { app: 'web' } },
        { namespace: 'plain', labels: { app: 'web', 'example.com/x': '', tier: 'db' } },
        { namespace: 'plain', labels: { app: 'web', 'example.com/x': '', no: '' } },
        { namespace: 'system', labels: { app: 'web', 'example.com/x': '' } },
      ],
    },
    {
      name: 'the name of a namespace',
      need: {
        reason: 'r',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
        objectSelector: { matchLabels: { app: 'web' } },
      },
      asked: [{ namespace: 'shop', labels: { app: 'web' } }],
      notAsked: [{ namespace: 'plain', labels: { app: 'web' } }, { namespace: 'shop' }],
    },
    {
      name: 'labels of a namespace',
      need: { reason: 'r', namespaceSelector: { matchLabels: { inject: 'yes' } }, objectSelector: { matchLabels: { app: 'web' } } },
      asked: [{ namespace: 'shop', labels: { app: 'web' } }],
      notAsked: [
        { namespace: 'plain', labels: { app: 'web' } },
        { namespace: 'system', labels: { app: 'web' } },
        { namespace: 'shop', labels: { app: 'db' } },
      ],
    },
  ])('calls by $name', async ({ need, asked, notAsked }) => {
    await narrowTo([need]);
    for (const pod of asked) expect(await create(pod)).toMatch(/^r(-ns\d)?\.mpod\.kb\.io$/);
    for (const pod of notAsked) expect(await create(pod)).toBe('admitted');
  });

  it('handles hundreds of selectors and a Pod of a megabyte', async () => {
    const needs = Array.from({ length: 400 }, (_, index): RequestNeed => ({
      reason: 'r',
      namespaceSelector: {
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: index % 2 === 0 ? 'In' : 'NotIn', values: ['shop'] }],
      },
      objectSelector: {
        matchLabels: { app: `a${index}` },
        matchExpressions: [
          { key: 'no', operator: index % 3 === 0 ? 'DoesNotExist' : 'NotIn', ...(index % 3 === 0 ? {} : { values: ['1'] }) },
        ],
      },
    }));
    await narrowTo(needs);
    const env = Array.from({ length: 8000 }, (_, index) => ({ name: `N${index}`, value: 'x'.repeat(100) }));
    const answerTo = (namespace: string, labels: Readonly<Record<string, string>>): Promise<string> => create({ namespace, labels, env });
    expect(await answerTo('plain', { app: 'a399' })).toBe('r.mpod.kb.io');
    expect(await answerTo('shop', { app: 'a399' })).toBe('admitted');
    expect(await answerTo('shop', { app: 'a398' })).toBe('r.mpod.kb.io');
    expect(await answerTo('plain', { app: 'a397', no: '2' })).toBe('r.mpod.kb.io');
    expect(await answerTo('plain', { app: 'a397', no: '1' })).toBe('admitted');
    expect(await answerTo('plain', { app: 'a399', no: '2' })).toBe('admitted');
    expect(await answerTo('plain', { app: 'b' })).toBe('admitted');
  });

  it('is accepted quickly with one selector of eight hundred requirements', async () => {
    const matchLabels = Object.fromEntries(Array.from({ length: 800 }, (_, index) => [`k${index}`, 'x']));
    const need: RequestNeed = { reason: 'r', condition: 'true', objectSelector: { matchLabels } };
    expect(narrowWebhook(installed, { needs: [need] })).toHaveLength(2);
    const durationOf = async (needs: readonly RequestNeed[]): Promise<number> => {
      const began = performance.now();
      await narrowTo(needs);
      return performance.now() - began;
    };
    // Compared with a small selector at the same moment, because a busy machine needs longer for both. It may become busy at any moment.
    let ratio = Infinity;
    for (let attempt = 0; attempt < 10 && ratio >= 1; attempt += 1) {
      const small = await durationOf([{ ...need, objectSelector: { matchLabels: { k0: 'x' } } }]);
      ratio = (await durationOf([need])) / (2500 + 10 * small);
    }
    expect(ratio).toBeLessThan(1);
    expect(await create({ namespace: 'plain', labels: matchLabels })).toBe('r.mpod.kb.io');
    const { k799: _one, ...others } = matchLabels;
    expect(await create({ namespace: 'plain', labels: others })).toBe('admitted');
  });

  it('has over twenty parts of the namespaces', async () => {
    const needs = ['a', 'b', 'c'].flatMap((team) =>
      ['x', 'y'].map((zone): RequestNeed => ({
        reason: 'r',
        namespaceSelector: { matchLabels: { team }, matchExpressions: [{ key: zone, operator: 'DoesNotExist' }] },
      })),
    );
    await narrowTo(needs);
    expect(await create({ namespace: 'shop' })).toMatch(/^r-ns\d+\.mpod\.kb\.io$/);
    expect(await create({ namespace: 'plain' })).toBe('admitted');
  });
});
