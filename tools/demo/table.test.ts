import { expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import * as columns from './table.ts';

const pod = aPod({ name: 'web-1', node: 'node-1', ready: true });

it('columns are three blanks apart and as wide as their widest cell', () => {
  const other = { ...pod, metadata: { ...pod.metadata, name: 'web-long' } };
  expect(columns.formatTable([columns.podName, columns.ready], [pod, other])).toEqual([
    'POD        READY',
    'web-1      yes',
    'web-long   yes',
  ]);
});

it('without Pods only the headings are shown', () => {
  expect(columns.formatTable([columns.podName, columns.state], [])).toEqual(['POD   STATE']);
});

it('a container is shown by image and restarts, one that the Pod lacks as a dash', () => {
  const restarted = aPod({ image: 'nginx:1', restarts: 2 });
  const cell = columns.imageOf('main', 'APPLICATION');
  expect(cell.heading).toBe('APPLICATION (RESTARTS)');
  expect(cell.cellOf(restarted)).toBe('nginx:1 (2)');
  expect(columns.imageOf('absent', 'SIDECAR').cellOf(restarted)).toBe('-');
});

it('a Pod that is being deleted is shown as terminating', () => {
  expect(columns.state.cellOf({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe('Terminating');
});
