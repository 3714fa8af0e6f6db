/** Both webhooks of DaemonSets, as the API server calls them. @see spec/daemonset.md 4 and 9 */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, type Gates } from '@kruise/api';
import { createJsonPatch, setIn, type KubeObject } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { daemonSetAdmission } from './admission.ts';

const versions = ['v1alpha1', 'v1beta1'];
const { signal } = new AbortController();
const rolling = 'spec.updateStrategy.rollingUpdate';

const bareOf = (version: string): KubeObject =>
  ({
    apiVersion: `apps.kruise.io/${version}`,
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image: 'agent:1' }] } },
    },
  }) as KubeObject;

/** What is between the ends of the path is made when it is missing. */
const having = (object: KubeObject, path: string, value: unknown): KubeObject => setIn(object, path.split('.'), value);

interface Question {
  readonly object: KubeObject;
  readonly oldObject?: KubeObject;
  readonly gates?: Partial<Gates>;
  readonly request?: Partial<AdmissionRequest>;
}

async function ask(
  verb: 'mutate' | 'validate',
  version: string,
  { object, oldObject, gates = {}, request = {} }: Question,
): Promise<Decision> {
  const dependencies = { gates: { ...defaultGates, ...gates }, allowPrivileged: true, kubernetes: 34 };
  const handler = daemonSetAdmission(dependencies as unknown as HandlerDependencies).find(
    ({ path }) => path === `/${verb}-apps-kruise-io-daemonset`,
  );
  if (handler === undefined) throw new Error(`no handler to ${verb}`);
  const whole: AdmissionRequest = {
    uid: 'r',
    kind: { group: 'apps.kruise.io', version, kind: 'DaemonSet' },
    resource: { group: 'apps.kruise.io', version, resource: 'daemonsets' },
    namespace: 'default',
    name: 'agent',
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    userInfo: { username: 'jane' },
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
    ...request,
  };
  return handler.decide(whole, signal);
}

/** As it is stored when nothing speaks against it. */
async function admitted(version: string, object: KubeObject): Promise<KubeObject> {
  const decision = await ask('mutate', version, { object });
  return decision.kind === 'Changed' ? decision.object : object;
}

/** The answer to an object after its defaults are filled in. */
async function judged(version: string, object: KubeObject, oldObject?: KubeObject): Promise<Decision> {
  return ask('validate', version, { object: await admitted(version, object), ...(oldObject === undefined ? {} : { oldObject }) });
}

describe('the mutating webhook of DaemonSets', () => {
  it.each(versions)('scenario 1: a minimal one of %s reads back with its defaults', async (version) => {
    const bare = bareOf(version);
    const object = await admitted(version, bare);
    expect(object).toEqual({
      ...bare,
      spec: {
        ...(bare as unknown as { readonly spec: object }).spec,
        burstReplicas: 250,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'Standard', maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
    });
    expect(createJsonPatch(bare, object).map(({ op }) => op)).toEqual(['add', 'add', 'add']);
  });

  it.each(versions)('changes nothing in one of %s that lacks nothing', async (version) => {
    const object = await admitted(version, bareOf(version));
    expect(await ask('mutate', version, { object })).toEqual(expect.objectContaining({ kind: 'Allowed' }));
  });

  it('takes Surging for Standard with a surge in v1alpha1 alone', async () => {
    const surging = (version: string): KubeObject =>
      having(bareOf(version), 'spec.updateStrategy', { rollingUpdate: { rollingUpdateType: 'Surging' } });
    const settings = { rollingUpdateType: 'Standard', maxSurge: 1, maxUnavailable: 0 };
    expect(await admitted('v1alpha1', surging('v1alpha1'))).toMatchObject({ spec: { updateStrategy: { rollingUpdate: settings } } });
    expect(await judged('v1alpha1', surging('v1alpha1'))).toMatchObject({ kind: 'Allowed', warnings: [] });
    expect(await judged('v1beta1', surging('v1beta1'))).toMatchObject({ kind: 'Failed', message: expect.stringContaining('"Surging"') });
  });
});

describe('the validating webhook of DaemonSets', () => {
  it.each(versions)('lets a good one of %s pass without a word', async (version) => {
    expect(await judged(version, bareOf(version))).toEqual({ kind: 'Allowed', warnings: [] });
  });

  it.each(versions)('scenario 14: refuses another selector in %s with 422', async (version) => {
    const old = await admitted(version, bareOf(version));
    const labels = { app: 'agent', tier: 'a' };
    const object = having(having(old, 'spec.selector.matchLabels', labels), 'spec.template.metadata.labels', labels);
    expect(await judged(version, object, old)).toMatchObject({
      kind: 'Failed',
      code: 422,
      message: expect.stringMatching(
        /^spec: Forbidden: updates to daemonset spec .* 'revisionHistoryLimit' are forbidden: selector changed$/,
      ),
    });
    expect(await judged(version, having(old, 'spec.template.metadata.labels', labels), old)).toMatchObject({ kind: 'Allowed' });
  });

  it.each(
    versions.flatMap((version) =>
      [
        {
          path: `${rolling}`,
          value: { maxUnavailable: 1, maxSurge: 1 },
          then: `${rolling}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`,
        },
        {
          path: `${rolling}`,
          value: { rollingUpdateType: 'InPlaceIfPossible', maxSurge: 1 },
          then: `${rolling}.maxSurge: Required value: must be 0 for InPlaceIfPossible type`,
        },
        {
          path: 'spec.lifecycle.inPlaceUpdate',
          value: { labelsHandler: { a: 'b' } },
          then: 'spec.lifecycle.inPlaceUpdate: Forbidden: inPlaceUpdate hook is not supported yet',
        },
      ].map((row) => ({ version, ...row })),
    ),
  )('scenario 15: refuses to create $value at $path in $version', async ({ version, path, value, then }) => {
    expect(await judged(version, having(bareOf(version), path, value))).toMatchObject({ kind: 'Failed', code: 500, message: then });
  });

  it('reports every error', async () => {
    const faulty = having(having(bareOf('v1beta1'), 'spec.minReadySeconds', -1), 'spec.template.spec.restartPolicy', 'Never');
    const { message } = (await judged('v1beta1', faulty)) as { readonly message: string };
    for (const path of ['spec.minReadySeconds', 'spec.template.spec.restartPolicy']) expect(message).toContain(path);
  });

  it.each([
    null,
    'x',
    {},
    { spec: null, metadata: {} },
    { spec: [], metadata: {} },
    { spec: { template: 3, selector: 'x' }, metadata: { name: 7 } },
  ])('has an answer to %j', async (object) => {
    for (const version of versions)
      expect((await ask('validate', version, { object: object as unknown as KubeObject })).kind).toBe('Failed');
  });

  it('warns of what has no effect, with the gates that are on', async () => {
    const object = having(await admitted('v1beta1', bareOf('v1beta1')), 'metadata.annotations', {
      'apps.kruise.io/image-predownload-parallelism': '2',
    });
    const gates = { PreDownloadImageForDaemonSetUpdate: true };
    expect(await ask('validate', 'v1beta1', { object })).toMatchObject({
      kind: 'Allowed',
      warnings: [expect.stringContaining('PreDownloadImageForDaemonSetUpdate is off')],
    });
    expect(await ask('validate', 'v1beta1', { object, gates })).toMatchObject({ kind: 'Allowed', warnings: [] });
  });

  it('has no rule for deletion, nor an answer to other versions', async () => {
    const object = bareOf('v1beta1');
    expect((await ask('validate', 'v1beta1', { object, request: { operation: 'DELETE' } })).kind).toBe('Allowed');
    for (const verb of ['mutate', 'validate'] as const)
      expect(await ask(verb, 'v1', { object })).toMatchObject({ kind: 'Failed', code: 400 });
  });
});
