/** All checks by mode, in the order of the report. */
import { preChecks } from './before-install.ts';
import type { Check } from './check.ts';
import { admissionChecks } from './checks/admission.ts';
import { agentChecks } from './checks/agents.ts';
import { clusterChecks } from './checks/cluster.ts';
import { definitionChecks } from './checks/definitions.ts';
import { managerChecks } from './checks/manager.ts';
import { webhookChecks } from './checks/webhooks.ts';
import { uninstallChecks } from './uninstall.ts';

export type Mode = 'installed' | 'pre' | 'uninstall';

export const checksOf: Readonly<Record<Mode, readonly Check[]>> = {
  installed: [...clusterChecks, ...definitionChecks, ...webhookChecks, ...admissionChecks, ...managerChecks, ...agentChecks],
  pre: preChecks,
  uninstall: uninstallChecks,
};
