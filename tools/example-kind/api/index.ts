/** MaintenanceNotice: declaration, type, defaults and validation. */
export { defaultMaintenanceNotice } from './defaults.ts';
export { declaration as maintenanceNoticeDeclaration, maintenanceNotices } from './schema.ts';
export type { MaintenanceNotice, MaintenanceNoticeStatus } from './schema.ts';
export { noticeLabel } from './names.ts';
export { validateMaintenanceNotice } from './validation.ts';
