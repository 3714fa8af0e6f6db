import { describe, expect, it } from '@jest/globals';
import { apps, chooseApps } from './apps.ts';

const names = (choice: ReturnType<typeof chooseApps>): unknown =>
  choice.kind === 'Chosen' ? choice.apps.map(({ name }) => name) : choice.message;
const all = (): boolean => true;

describe('the apps to build', () => {
  it('are all without a name and with "all", those that are named else, in the order of the build', () => {
    const every = apps.map(({ name }) => name);
    expect(names(chooseApps([], all))).toEqual(every);
    expect(names(chooseApps(['daemon', 'all'], all))).toEqual(every);
    expect(names(chooseApps(['daemon', 'manager'], all))).toEqual(['manager', 'daemon']);
  });

  it('may be absent among all, but not when named', () => {
    const choice = chooseApps([], ({ name }) => name === 'manager');
    expect(choice).toMatchObject({
      kind: 'Chosen',
      apps: [{ name: 'manager' }],
      absent: ['daemon', 'helm-hook', 'state-metrics', 'kubectl-kruise'],
    });
    expect(names(chooseApps(['daemon'], () => false))).toBe('apps/daemon has no entry point to build');
  });

  it('are refused when unknown, with those that are known', () => {
    expect(names(chooseApps(['deamon'], all))).toBe(
      'unknown app "deamon": must be one of manager, daemon, helm-hook, state-metrics, kubectl-kruise, all',
    );
  });
});
