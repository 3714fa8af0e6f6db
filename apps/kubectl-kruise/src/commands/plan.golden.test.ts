/** What `plan` prints, as transcripts. */
import { describe, expect, it } from '@jest/globals';
import { apiFailures, type FakeApi } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { aCloneSet, aMember, aRevision } from '@kruise/kinds/cloneset/testing';
import { fakeApi, kruiseRun, seed } from '../testing.ts';
import { Transcript } from '../transcript.testing.ts';

const golden = (name: string, text: string): void =>
  expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));

/** An object that the server has not seen yet. */
function asNew<T extends { readonly metadata: { readonly uid?: string; readonly resourceVersion?: string } }>(object: T): object {
  const { uid: _uid, resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const manager = (...args: readonly string[]): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'kruise-controller-manager', namespace: 'kruise-system' },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'manager', args }] } } },
});

/** A manager with these flags, and a CloneSet with ready Pods of image `app:1`. */
function cluster(replicas: number, ...flags: readonly string[]): FakeApi {
  const api = fakeApi();
  seed(api, manager(...flags));
  const plain = aCloneSet({ replicas, rollingUpdate: { maxUnavailable: '25%' } });
  const held = seed(api, { ...plain, metadata: { name: 'sample', namespace: 'default' } });
  const owned = { ...plain, metadata: { ...plain.metadata, uid: held.metadata.uid ?? '' } };
  const revision = aRevision(owned, 'app:1', 1);
  const revisionLabels = { ...revision.metadata.labels, app: 'sample' };
  const labelled = { ...revision, metadata: { ...revision.metadata, labels: revisionLabels } };
  seed(api, asNew({ apiVersion: 'apps/v1', kind: 'ControllerRevision', ...labelled }));
  const { name } = revision.metadata;
  seed(api, { ...held, status: { observedGeneration: 1, currentRevision: name, updateRevision: name } });
  for (let index = 0; index < replicas; index++) {
    const id = `p${String(index).padStart(3, '0')}`;
    const node = `node-${index % 7}`;
    const pod = aMember(owned, revision, { name: `sample-${id}`, node, labels: { 'apps.kruise.io/cloneset-instance-id': id } });
    seed(api, asNew({ apiVersion: 'v1', kind: 'Pod', ...pod }));
  }
  return api;
}

const file = (replicas: number, container: object, rolling: object = {}): string => {
  const { apiVersion, kind, spec } = aCloneSet({ replicas, rollingUpdate: { maxUnavailable: '25%', ...rolling } });
  const template = { metadata: { labels: { app: 'sample' } }, spec: { containers: [{ name: 'main', image: 'app:1', ...container }] } };
  return JSON.stringify({ apiVersion, kind, metadata: { name: 'sample' }, spec: { ...spec, template } });
};

it('plan', async () => {
  const transcript = new Transcript(cluster(4));
  const inPlace = file(4, { image: 'app:2' }, { partition: 1 });
  await transcript.run('plan -f -', { stdin: inPlace });
  await transcript.run('plan -f - -o yaml', { stdin: inPlace });
  await transcript.run('plan -f -', { stdin: file(5, { image: 'app:2', workingDir: '/srv' }) });
  await transcript.run('plan -f -', {
    stdin: file(4, { workingDir: '/srv' }),
    terminal: { columns: 40, rows: 24, color: true },
  });
  await transcript.run('plan -f -', { stdin: file(4, { workingDir: '/srv' }, { podUpdatePolicy: 'InPlaceOnly' }) });
  await transcript.run('plan -f -', { stdin: file(4, {}) });
  await transcript.run('plan -f - -n other', { stdin: file(2, {}) });
  await transcript.run('plan');
  await transcript.run('plan clone/sample -f -', { stdin: inPlace });
  await transcript.run('plan -f - -o wide', { stdin: inPlace });
  golden('plan', transcript.text);
  expect(await kruiseRun(fakeApi(), 'plan -f - --feature-gates Nothing=1', { stdin: inPlace })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error: --feature-gates: .*Nothing/) as unknown,
  });
});

it('plan says which rights are missing, and fills in defaults itself', async () => {
  const api = cluster(4);
  const { spec, ...rest } = JSON.parse(file(4, {})) as { spec: { selector: object; template: object; replicas: number } };
  const short = { ...rest, spec: { replicas: 6, selector: spec.selector, template: spec.template } };
  api.faults = {
    before: ({ verb, type }) => {
      if (verb === 'patch' || (verb === 'list' && type?.kind === 'PodUnavailableBudget')) throw apiFailures.forbidden();
    },
  };
  const { code, out, err } = await kruiseRun(api, 'plan -f -', { stdin: JSON.stringify(short) });
  expect(code).toBe(0);
  expect(out).toContain('2 Pods created, 4 untouched');
  expect(err).toBe(
    'Warning: using the defaults of this plugin, because no dry run is possible: you may not patch clonesets.apps.kruise.io\n' +
      'Warning: the plan is not complete: you may not list podunavailablebudgets.policy.kruise.io in namespace default\n',
  );
});

describe('plan uses the feature gates', () => {
  const inPlace = file(4, { image: 'app:2' }, { maxUnavailable: 2 });
  const updates = '--feature-gates=PodUnavailableBudgetUpdateGate=true';

  function withBudget(api: FakeApi): FakeApi {
    seed(api, {
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: 'PodUnavailableBudget',
      metadata: { name: 'careful', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'sample' } }, maxUnavailable: 1 },
      status: { totalReplicas: 4, currentAvailable: 4, desiredAvailable: 3, unavailableAllowed: 1 },
    });
    return api;
  }

  it.each<{ name: string; flags: readonly string[]; command: string; isLimited: boolean }>([
    { name: 'of the manager, by default', flags: [], command: 'plan -f -', isLimited: false },
    { name: 'of the manager, with a gate on', flags: [updates], command: 'plan -f -', isLimited: true },
    { name: 'that are named, rather than those of the manager', flags: [], command: `plan -f - ${updates}`, isLimited: true },
  ])('$name', async ({ flags, command, isLimited }) => {
    const { out, err } = await kruiseRun(withBudget(cluster(4, ...flags)), command, { stdin: inPlace });
    expect(out.includes('then PodUnavailableBudget careful')).toBe(isLimited);
    expect(err).toBe('');
  });

  it.each<{ name: string; change: (api: FakeApi) => void; because: string }>([
    {
      name: 'by default without the right to read the manager',
      change: (api) => {
        api.faults = {
          before: ({ verb, type }) => {
            if (verb === 'list' && type?.kind === 'Deployment') throw apiFailures.forbidden();
          },
        };
      },
      because: 'you may not list deployments.apps',
    },
    {
      name: 'by default when those of the manager cannot be parsed',
      change: (api) => seed(api, { ...manager('--feature-gates=Nope=1'), metadata: { name: 'kruise-controller-manager', namespace: 'a' } }),
      because: 'Nope',
    },
  ])('$name, and says so', async ({ change, because }) => {
    const api = cluster(4);
    change(api);
    const { code, err } = await kruiseRun(api, 'plan -f -', { stdin: inPlace });
    expect(code).toBe(0);
    expect(err).toMatch(/^Warning: assuming the default feature gates: .*; name those of the manager with --feature-gates\n$/);
    expect(err).toContain(because);
  });
});

it('plan of a thousand Pods has at most 60 lines', async () => {
  const { out, code } = await kruiseRun(cluster(1000), 'plan -f -', { stdin: file(1000, { workingDir: '/srv' }, { maxUnavailable: 100 }) });
  expect(code).toBe(2);
  expect(out.split('\n').length).toBeLessThanOrEqual(60);
  golden('plan-thousand', out);
});
