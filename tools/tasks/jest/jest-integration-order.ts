/** Jest's sequencer of the integration tests. */
import { relative } from 'node:path';
import { longestFirst } from './longest-first.ts';
import { root } from '../run-program.ts';

/** Seconds of each longer file, measured on two cores with four workers. Only the order depends on them. */
const seconds: Readonly<Record<string, number>> = {
  'apps/manager/src/kinds/workloadspread/controller.int.test.ts': 160,
  'apps/manager/src/int-tests/faults.int.test.ts': 115,
  // It waits for the autoscaler of Kubernetes most of the time.
  'apps/manager/src/int-tests/autoscaler.int.test.ts': 110,
  'apps/manager/src/int-tests/webhook-failsafe.int.test.ts': 95,
  // It keeps both cores busy, and begins when one of the longest four is done.
  'apps/manager/src/int-tests/hostile/hostile-tenant.int.test.ts': 92,
  'apps/manager/src/kinds/resourcedistribution/faults.int.test.ts': 90,
  // The controller of nodes takes 60 s until a node is lost.
  'apps/manager/src/int-tests/why/plugin-why.int.test.ts': 90,
  'apps/manager/src/int-tests/plugin-adopt.int.test.ts': 85,
  'tools/chart/upgrade-from-original.int.test.ts': 80,
  'apps/manager/src/int-tests/config-rollout.int.test.ts': 75,
  'apps/manager/src/kinds/uniteddeployment/controller.int.test.ts': 65,
  'apps/manager/src/kinds/resourcedistribution/controller.int.test.ts': 60,
  'tools/chart/keep-crds.int.test.ts': 60,
  'apps/manager/src/int-tests/image-pull.int.test.ts': 55,
  'tools/image/image.int.test.ts': 55,
  'apps/manager/src/int-tests/lint-verdicts.int.test.ts': 50,
  'apps/manager/src/int-tests/apply-twice.int.test.ts': 50,
  'tools/chart/webhook-rollback.int.test.ts': 45,
  'apps/daemon/src/runtime-shapes.int.test.ts': 40,
  'tools/chart/chart.int.test.ts': 40,
  'libs/kube/src/client/faults.int.test.ts': 40,
  'apps/daemon/src/daemon.int.test.ts': 35,
  'apps/manager/src/int-tests/clock.int.test.ts': 35,
  'libs/kube/src/leader-election/half-open.int.test.ts': 30,
  'apps/kubectl-kruise/src/kubectl-kruise.int.test.ts': 30,
  'tools/chart/install.int.test.ts': 30,
  'apps/kubectl-kruise/src/insight.int.test.ts': 30,
  'apps/manager/src/features/deletionprotection/deletion-protection.int.test.ts': 30,
  'apps/manager/src/kinds/uniteddeployment/runs/refusals.int.test.ts': 30,
  'tools/chart/switch-managers.int.test.ts': 30,
  'tools/chart/odd-values.int.test.ts': 30,
  'libs/testing/src/cluster/control-plane.int.test.ts': 30,
  'apps/manager/src/kinds/sidecarset/controller.int.test.ts': 25,
  'apps/manager/src/int-tests/webhook-callers.int.test.ts': 25,
  'tools/demo/demo.int.test.ts': 25,
  'apps/manager/src/int-tests/rollout.int.test.ts': 25,
  'apps/manager/src/int-tests/budget-race.int.test.ts': 25,
  'apps/manager/src/int-tests/refused-by-policy.int.test.ts': 25,
};
const usual = 15;

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default longestFirst((path) => seconds[relative(root, path)] ?? usual);
