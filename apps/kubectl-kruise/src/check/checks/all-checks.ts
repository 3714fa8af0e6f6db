/** All checks by mode, in the order of the report. */
import { preChecks } from './before-install.ts';
import type { Check } from '../check.ts';
import { admissionChecks } from './admission.ts';
import { agentChecks } from './agents.ts';
import { clusterChecks } from './cluster.ts';
import { definitionChecks } from './definitions.ts';
import { managerChecks } from './manager.ts';
import { webhookChecks } from './webhooks.ts';
import { uninstallChecks } from '../uninstall.ts';

export type Mode = 'installed' | 'pre' | 'uninstall';

export const checksOf: Readonly<Record<Mode, readonly Check[]>> = {
  installed: [...clusterChecks, ...definitionChecks, ...webhookChecks, ...admissionChecks, ...managerChecks, ...agentChecks],
  pre: preChecks,
  uninstall: uninstallChecks,
};
