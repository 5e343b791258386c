/** Event after which an alert rule began: the clock may have been set back since its start. */
export const rulesAfterEvents = {
  name: '0083-rules-after-events',
  up: [
    'ALTER TABLE alert_rules ADD COLUMN afterEventId INTEGER NOT NULL DEFAULT 0',
    `UPDATE alert_rules
     SET afterEventId = ifnull((SELECT max(id) FROM program_events WHERE at < alert_rules.startedAt), 0)`,
  ],
}
