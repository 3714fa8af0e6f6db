/** The members of `spec.template`, of which exactly one is set. */
export const unitedTemplateNames = [
  'statefulSetTemplate',
  'advancedStatefulSetTemplate',
  'cloneSetTemplate',
  'deploymentTemplate',
] as const;
export type UnitedTemplateName = (typeof unitedTemplateNames)[number];
