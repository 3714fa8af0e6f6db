/** The dashboards and the alerts of the chart. @see spec/operations.md 5.3 to 5.5 */
import { origin, withHashOrigin, type Generator } from '../generator.ts';
import { toYaml } from '../yaml.ts';
import { ruleGroups } from './alerts.ts';
import { fleet } from './dashboards/fleet.ts';
import { installation } from './dashboards/installation.ts';
import { webhooks } from './dashboards/webhooks.ts';
import { workloads } from './dashboards/workload.ts';
import { type Dashboard, dashboardModel } from './grafana.ts';

const source = 'tools/generate/monitoring';
const folder = 'charts/kruise/monitoring/generated';

export const dashboards: readonly Dashboard[] = [installation, webhooks, fleet, ...workloads];

export const monitoringGenerator: Generator = {
  name: 'dashboards and alerts',
  folders: [folder],
  files: () => [
    ...dashboards.map((dashboard) => ({
      path: `${folder}/${dashboard.uid}.json`,
      content: `${JSON.stringify(dashboardModel(dashboard, origin(source)), undefined, 2)}\n`,
    })),
    { path: `${folder}/alerts.yaml`, content: withHashOrigin(source, toYaml(ruleGroups())) },
  ],
};
