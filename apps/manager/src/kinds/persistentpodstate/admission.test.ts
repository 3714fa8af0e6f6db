import { describe, expect, it } from '@jest/globals';
import type { Decision } from '@kruise/admission';
import { persistentPodStates, persistentPodStateWhiteListKey, type PersistentPodState } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeApi } from '@kruise/kube/testing';
import { decideOn, seedWhiteList } from '../../module/fixtures/handler-fixture.testing.ts';
import { persistentPodStateAdmission } from './admission.ts';
import { aState, namespace, zone } from './cluster.testing.ts';

const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };

interface Given {
  readonly object: object;
  readonly oldObject?: object;
  readonly version?: string;
  readonly held?: readonly PersistentPodState[];
  readonly whiteList?: string;
  readonly away?: boolean;
}

function decide({ held = [], whiteList, away = false, ...written }: Given): Promise<Decision | undefined> {
  const api = new FakeApi();
  for (const state of held) api.seed(persistentPodStates, state);
  seedWhiteList(api, persistentPodStateWhiteListKey, whiteList);
  const client = api.connect('handler', {
    before: () => {
      if (away) throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
    },
  });
  return decideOn(written, persistentPodStateAdmission, { client, followed: api });
}

const stateOf = (spec: object = {}, name = 'new') => ({ ...aState(spec, { name }) });

describe('admission of PersistentPodStates (9)', () => {
  it.each<{ name: string; given: Given; message: string }>([
    {
      name: 'a Deployment',
      given: { object: stateOf({ targetRef: { ...targetRef, kind: 'Deployment' } }) },
      message: 'spec.targetRef: Invalid value',
    },
    { name: 'no topology', given: { object: { ...stateOf(), spec: { targetRef } } }, message: 'spec: Invalid value' },
    {
      name: 'a second one for the workload, in another version',
      given: { object: stateOf({ targetRef: { ...targetRef, apiVersion: 'apps/v1beta1' } }), held: [aState()] },
      message: 'mine',
    },
    {
      name: 'another workload later',
      given: { object: stateOf({ targetRef: { ...targetRef, name: 'web' } }), oldObject: stateOf() },
      message: 'spec.targetRef: Forbidden',
    },
    {
      name: 'a white list that cannot be read',
      given: { object: stateOf(), whiteList: '{' },
      message: 'PPS_Watch_Custom_Workload_WhiteList is not JSON',
    },
    {
      name: 'a second one while the API server does not answer',
      given: { object: stateOf(), held: [aState()], away: true },
      message: 'mine',
    },
  ])('refuses $name with code 400', async ({ given, message }) => {
    const decision = await decide(given);
    expect(decision).toMatchObject({ kind: 'Failed', code: 400 });
    expect(decision).toHaveProperty('message', expect.stringContaining(message));
  });

  it('lets one of a listed kind in, and warns of what cannot be meant', async () => {
    const object = stateOf({
      targetRef: { apiVersion: 'g.example.com/v1', kind: 'GameSet', name: 'db' },
      requiredPersistentTopology: { keys: ['a b'] },
    });
    const whiteList = JSON.stringify({ workloads: [{ Group: 'g.example.com', Version: 'v2', Kind: 'GameSet' }] });
    expect(await decide({ object, whiteList })).toMatchObject({
      kind: 'Allowed',
      warnings: [expect.stringContaining('spec.requiredPersistentTopology.keys[0]')],
    });
  });

  it('judges v1alpha1 as what it is converted to', async () => {
    const object = {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'PersistentPodState',
      metadata: { name: 'new', namespace },
      spec: { targetRef, requiredPersistentTopology: { nodeTopologyKeys: [zone, 'a b'] } },
    };
    expect(await decide({ object, version: 'v1alpha1' })).toMatchObject({
      kind: 'Allowed',
      warnings: [expect.stringContaining('keys[1]')],
    });
  });

  it('refuses none that is being deleted', async () => {
    const faulty = { metadata: { name: 'new', namespace, deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: {} };
    expect(await decide({ object: faulty, oldObject: faulty })).toMatchObject({ kind: 'Allowed' });
  });
});
