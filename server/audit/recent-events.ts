/** Newest events that are read: no index leads to a day, and a page that asks every half minute may not read a year. */
const eventsRead = 20_000

/** SQL condition on `audit_events`: since an instant, its parameter in ms. */
export const isRecent = `id > (SELECT ifnull(max(id), 0) - ${eventsRead} FROM audit_events) AND at >= ?`
