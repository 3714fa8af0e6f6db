/** Names on the wire that belong to MaintenanceNotices alone. */

/** On every ConfigMap of a notice: the manager caches these and no others. */
export const noticeLabel = 'apps.kruise.io/maintenance-notice';
