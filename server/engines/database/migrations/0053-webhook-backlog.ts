/** Webhooks name what was dropped because their receiver took nothing. */
export const webhookBacklog = {
  name: '0053-webhook-backlog',
  up: [
    'ALTER TABLE webhooks ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE webhooks ADD COLUMN lastDroppedEventId INTEGER',
  ],
}
