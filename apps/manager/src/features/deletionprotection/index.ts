/** Protection of namespaces, CRDs, built-in workloads, Services and Ingresses from deletion. */
import { deletionProtectionDeclaration } from '@kruise/api';
import type { KindModule } from '../../module/kind-module.ts';
import { deletionProtectionAdmission } from './admission.ts';

export const deletionProtection: KindModule = {
  feature: deletionProtectionDeclaration,
  admission: { handlers: deletionProtectionAdmission },
};
