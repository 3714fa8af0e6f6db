/** What is completed by the cluster. */
import { expect, it } from '@jest/globals';
import { rootCommand } from '../commands/table.ts';
import { completionRequest } from './completion-request.ts';

it.each<[string, object]>([
  ['rollout st', { kind: 'Known' }],
  ['rollout status --rev', { kind: 'Known' }],
  ['rollout status ', { kind: 'Types', typed: '' }],
  ['rollout status clo', { kind: 'Types', typed: 'clo' }],
  ['rollout status clone/we', { kind: 'Names', type: 'clone', typed: 'we', before: 'clone/' }],
  ['rollout status clone we', { kind: 'Names', type: 'clone', typed: 'we', before: '' }],
  ['rollout status clone/web ', { kind: 'Known' }],
  ['rollout status -n shop clone/', { kind: 'Names', type: 'clone', typed: '', before: 'clone/' }],
  ['rollout status -n sh', { kind: 'Namespaces', typed: 'sh' }],
  ['rollout status --timeout ', { kind: 'Known' }],
  ['rollout status --nope clone/', { kind: 'Known' }],
  ['scaledown we', { kind: 'Names', type: 'clonesets', typed: 'we', before: '' }],
  ['exec my', { kind: 'Names', type: 'pods', typed: 'my', before: '' }],
  ['exec my -- da', { kind: 'Known' }],
  ['check ', { kind: 'Known' }],
  ['scale clone/', { kind: 'Known' }],
])('%s', (line, expected) => expect(completionRequest(rootCommand, line.split(' '))).toMatchObject(expected));
