import { expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { FakeApi } from '@kruise/kube/testing';
import { pods } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { askedPod } from './asked-pod.ts';
import type { PodOperationRequest } from './pod-check.ts';

const { signal } = new AbortController();
const pod = aPod();
const { namespace = '', name } = pod.metadata;
const eviction = (): PodOperationRequest => ({
  operation: 'Evict',
  pod: undefined,
  evicted: {},
  request: { namespace, name } as AdmissionRequest,
});

it('the Pod of an eviction is read once for all checks of a request, and again for the next one', async () => {
  const api = new FakeApi();
  api.seed(pods, { ...pod, metadata: { namespace, name } });
  const reads = (): number => api.calls.filter(({ verb }) => verb === 'get').length;
  const asked = eviction();
  const found = await Promise.all([askedPod(asked, api, signal), askedPod(asked, api, signal)]);
  expect(found.map((one) => one?.metadata.name)).toEqual([name, name]);
  expect(reads()).toBe(1);
  await askedPod(eviction(), api, signal);
  expect(reads()).toBe(2);
});

it('the Pod of any other operation is that of the request', async () => {
  const api = new FakeApi();
  expect(await askedPod({ ...eviction(), operation: 'Delete', pod }, api, signal)).toBe(pod);
  expect(api.calls).toEqual([]);
});
