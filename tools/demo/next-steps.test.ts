import { expect, it } from '@jest/globals';
import { nextSteps } from './next-steps.ts';

it('a cluster that stays: how to use it, look at it, change something and remove it', () => {
  const lines = nextSteps({ kind: 'Kept', kubeconfigPath: '/s/admin.kubeconfig', kubectl: '/bin/of/kubectl' });
  expect(lines).toContain('  export KUBECONFIG=/s/admin.kubeconfig PATH=/bin/of:$PATH');
  expect(lines).toContain('  kubectl -n kruise-demo get clone,sidecarset,asts,pub,pods');
  expect(lines).toContain('  npm run demo -- --down');
});

it.each([
  [[], '  npm run demo -- --keep'],
  [['--simulated'], '  npm run demo -- --keep --simulated'],
])('a cluster that was started with %j and removed: how to start one that stays', (withFlags, command) => {
  const lines = nextSteps({ kind: 'Removed', withFlags });
  expect(lines).toContain(command);
  expect(lines.join()).not.toContain('KUBECONFIG');
});

it("a user's cluster: what is deleted there, and nothing about removing it", () => {
  const text = nextSteps({ kind: 'CleanedUp', server: 'https://api.example.org' }).join('\n');
  expect(text).toContain('created on https://api.example.org is being deleted');
  expect(text).not.toContain('--down');
});
