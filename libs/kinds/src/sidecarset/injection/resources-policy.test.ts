/** Resources of a sidecar computed from those of the Pod. @see spec/sidecarset.md 5.4 resourcesPolicy */
import { describe, expect, it } from '@jest/globals';
import type { SidecarResourcesPolicy } from '@kruise/api';
import type { Container } from '@kruise/objects';
import { computeResources, prepareResources } from './resources-policy.ts';

const target = (name: string, resources?: object): Container => ({
  name,
  image: 'app:1',
  ...(resources === undefined ? {} : { resources }),
});
const two = [
  target('a', { limits: { cpu: '2', memory: '2Gi' }, requests: { cpu: '1', memory: '1Gi' } }),
  target('b', { limits: { cpu: '4', memory: '1Gi' }, requests: { cpu: '500m' } }),
];
const computed = (policy: object, targets: readonly Container[] = two) =>
  computeResources(prepareResources(policy as SidecarResourcesPolicy), targets);

describe('resources that are computed', () => {
  it.each<{ name: string; policy: object; targets?: readonly Container[]; then: object }>([
    { name: 'are none without expressions', policy: {}, then: {} },
    { name: 'are none for empty expressions', policy: { resourcesExpr: { limits: { cpu: '' } } }, then: {} },
    {
      name: 'are the sums over all containers by default',
      policy: { resourcesExpr: { limits: { cpu: 'cpu', memory: 'memory' }, requests: { cpu: 'cpu' } } },
      then: { limits: { cpu: '6', memory: '3Gi' }, requests: { cpu: '1500m' } },
    },
    {
      name: 'are the largest ones, in any position',
      policy: { targetContainersMode: 'max', resourcesExpr: { limits: { cpu: 'cpu', memory: 'memory' } } },
      then: { limits: { cpu: '4', memory: '2Gi' } },
    },
    {
      name: 'are those of the containers whose name fits',
      policy: { targetContainersNameRegex: '^b$', resourcesExpr: { limits: { cpu: 'cpu' } } },
      then: { limits: { cpu: '4' } },
    },
    {
      name: 'take a request that is not there for 0',
      policy: { resourcesExpr: { requests: { memory: 'memory' } } },
      then: { requests: { memory: '1Gi' } },
    },
    {
      name: 'have no limit where one container has none',
      policy: { resourcesExpr: { limits: { cpu: 'cpu' }, requests: { cpu: 'cpu' } } },
      targets: [...two, target('free')],
      then: { requests: { cpu: '1500m' } },
    },
    {
      name: 'have no limit where one container has none of any resource',
      policy: { resourcesExpr: { limits: { cpu: 'cpu' }, requests: { cpu: 'cpu' } } },
      targets: [...two, target('free', {})],
      then: { requests: { cpu: '1500m' } },
    },
    {
      name: 'are written as the first of equally large ones is',
      policy: { targetContainersMode: 'max', resourcesExpr: { limits: { memory: 'memory' } } },
      targets: [target('a', { limits: { memory: '1Gi' } }), target('b', { limits: { memory: '1073741824' } })],
      then: { limits: { memory: '1Gi' } },
    },
  ])('$name', ({ policy, targets, then }) => {
    expect(computed(policy, targets)).toStrictEqual({ kind: 'Computed', resources: then });
  });

  it.each<{ name: string; policy: object; targets?: readonly Container[]; why: string }>([
    { name: 'a pattern that is none', policy: { targetContainersNameRegex: '(' }, why: 'invalid regex pattern: ' },
    {
      name: 'a pattern that fits no container',
      policy: { targetContainersNameRegex: '^x' },
      why: 'no containers match the regex pattern ^x',
    },
    { name: 'a Pod without containers', policy: {}, targets: [], why: 'no containers match the regex pattern .*' },
    { name: 'an expression that is none', policy: { resourcesExpr: { requests: { memory: 'memory+' } } }, why: 'requests.memory: ' },
    {
      name: 'a negative result',
      policy: { resourcesExpr: { limits: { cpu: 'cpu - 9' } } },
      why: 'limits.cpu: calculation result is negative: -3',
    },
  ])('are refused for $name', ({ policy, targets, why }) => {
    const result = computed(policy, targets);
    expect(result.kind === 'Refused' ? result.why.slice(0, why.length) : result.kind).toBe(why);
  });
});
