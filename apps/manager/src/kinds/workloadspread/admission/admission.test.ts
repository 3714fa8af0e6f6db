/** What is asked of the cluster when a WorkloadSpread is judged. The rules themselves: libs/api. @see spec/workloadspread.md 4.1 */
import { describe, expect, it } from '@jest/globals';
import type { Decision } from '@kruise/admission';
import { cloneSets, workloadSpreads, workloadSpreadWhiteListKey, type CloneSet, type WorkloadSpread } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeApi } from '@kruise/kube/testing';
import { decideOn, seedWhiteList } from '../../../module/fixtures/handler-fixture.testing.ts';
import { workloadSpreadAdmission } from './admission.ts';
import { aSpread, aSubset } from '@kruise/kinds/workloadspread/testing';

const namespace = 'default';

interface Given {
  readonly object: object;
  readonly oldObject?: object;
  readonly version?: string;
  readonly held?: readonly WorkloadSpread[];
  readonly workload?: CloneSet;
  readonly whiteList?: string;
  readonly isOff?: boolean;
  readonly isAway?: boolean;
  /** Of objects of this kind alone. */
  readonly isAwayFor?: string;
}

function decide(given: Given): Promise<Decision | undefined> {
  const { held = [], workload, whiteList, isOff = false, isAway = false, isAwayFor, ...written } = given;
  const api = new FakeApi();
  for (const spread of held) api.seed(workloadSpreads, spread);
  if (workload !== undefined) api.seed(cloneSets, workload);
  seedWhiteList(api, workloadSpreadWhiteListKey, whiteList);
  const client = api.connect('handler', {
    before: ({ type }) => {
      if (isAway || (isAwayFor !== undefined && type?.kind === isAwayFor))
        throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
    },
  });
  return decideOn(written, workloadSpreadAdmission, { client, followed: api, gates: { WorkloadSpread: !isOff } });
}

type Patch = Readonly<Record<string, unknown>>;

const spreadOf = (patch?: Patch, over: Partial<WorkloadSpread['spec']> = {}): WorkloadSpread =>
  aSpread([aSubset('a', 3, patch === undefined ? {} : { patch }), aSubset('b')], over, undefined, { name: 'new' });

const withMount = (name: string): Patch => ({ spec: { containers: [{ name: 'main', volumeMounts: [{ name, mountPath: '/data' }] }] } });

/** One in the older version, whose only subset asks this of nodes. */
const older = (expression: object): Given => ({
  version: 'v1alpha1',
  object: {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'WorkloadSpread',
    metadata: { name: 'new' },
    spec: {
      targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
      subsets: [{ name: 'a', requiredNodeSelectorTerm: { matchExpressions: [expression] } }],
    },
  },
});

const workload = {
  metadata: { name: 'web', namespace },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    volumeClaimTemplates: [{ metadata: { name: 'disk' }, spec: {} }],
  },
} as unknown as CloneSet;

const games = JSON.stringify({ workloads: [{ Group: 'game.example.com', Version: 'v1', Kind: 'GameSet' }] });
const gameTarget = { targetRef: { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'web' } };

describe('a WorkloadSpread is refused', () => {
  it.each<{ name: string; given: Given; code: number; message: RegExp }>([
    { name: 'while the gate is off', given: { object: spreadOf(), isOff: true }, code: 403, message: /WorkloadSpread/ },
    {
      name: 'beside another one for the workload, in another version of it',
      given: {
        object: spreadOf(undefined, { targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' } }),
        held: [aSpread([aSubset('a')])],
      },
      code: 400,
      message: /^spec\.targetRef: .*spread/,
    },
    {
      name: 'with a patch that mounts what the workload does not have',
      given: { object: spreadOf(withMount('nothing')), workload },
      code: 400,
      message: /^spec\.subsets\[0\]\.patch.*nothing/,
    },
    {
      name: 'in its older version, by the names of the newer one',
      given: older({ key: 'zone', operator: 'Is' }),
      code: 400,
      message: /^spec\.subsets\[0\]\.requiredNodeSelector\.matchExpressions\[0\]\.operator/,
    },
    {
      name: 'with every fault that it has',
      given: { object: { ...spreadOf(), spec: { targetRef: null, subsets: [{ name: '' }, { name: 'a', maxReplicas: -1 }] } } },
      code: 400,
      message: /^\[spec\.targetRef: .*, spec\.subsets\[0\]\.name: .*, spec\.subsets\[1\]\.maxReplicas: .*\]$/,
    },
    {
      name: 'with a patch, while its workload cannot be read',
      given: { object: spreadOf(withMount('disk')), workload, isAwayFor: 'CloneSet' },
      code: 400,
      message: /^spec\.targetRef: Internal error: the workload cannot be read: no answer/,
    },
    {
      name: 'of a kind that the white list does not name',
      given: { object: spreadOf(undefined, gameTarget) },
      code: 400,
      message: /^spec\.targetRef/,
    },
    {
      name: 'of a kind that may be on a white list which cannot be read',
      given: { object: spreadOf(undefined, gameTarget), whiteList: '{' },
      code: 400,
      message: /^spec\.targetRef: Internal error/,
    },
    {
      name: 'beside another one for the workload, while the API server does not answer',
      given: { object: spreadOf(), held: [aSpread([aSubset('a')])], isAway: true },
      code: 400,
      message: /^spec\.targetRef: .*spread/,
    },
    {
      name: 'for another workload than before',
      given: {
        object: spreadOf(undefined, { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'other' } }),
        oldObject: spreadOf(),
      },
      code: 400,
      message: /^spec\.targetRef/,
    },
  ])('$name', async ({ given, code, message }) => {
    expect(await decide(given)).toMatchObject({ kind: 'Failed', code, message: expect.stringMatching(message) });
  });
});

describe('a WorkloadSpread is admitted', () => {
  it.each<{ name: string; given: Given }>([
    { name: 'before its workload is there, whatever the patch', given: { object: spreadOf(withMount('nothing')) } },
    { name: 'with a patch that mounts a volume of a claim template', given: { object: spreadOf(withMount('disk')), workload } },
    { name: 'of a kind on the white list', given: { object: spreadOf(undefined, gameTarget), whiteList: games } },
    {
      name: 'with a patch, for a kind that has no template',
      given: { object: spreadOf(withMount('nothing'), gameTarget), whiteList: games },
    },
    {
      name: 'with a patch, for a workload that has none',
      given: { object: spreadOf(withMount('nothing')), workload: { ...workload, spec: {} } as never },
    },
    { name: 'without a patch, whether its workload can be read or not', given: { object: spreadOf(), workload, isAwayFor: 'CloneSet' } },
    { name: 'beside itself', given: { object: spreadOf(), oldObject: spreadOf(), held: [spreadOf()] } },
    {
      name: 'for its workload in another version',
      given: {
        object: spreadOf(undefined, { targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' } }),
        oldObject: spreadOf(),
      },
    },
    {
      name: 'in its older version',
      given: older({ key: 'zone', operator: 'In', values: ['a'] }),
    },
    {
      name: 'being deleted, with any content',
      given: {
        object: { ...spreadOf(), metadata: { name: 'new', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { subsets: [] } },
        oldObject: { ...spreadOf(), metadata: { name: 'new', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      },
    },
  ])('$name', async ({ given }) => {
    expect(await decide(given)).toMatchObject({ kind: 'Allowed' });
  });
});
