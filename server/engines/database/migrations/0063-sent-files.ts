/** Batches send files. */
export const sentFiles = {
  name: '0063-sent-files',
  up: ['ALTER TABLE batches ADD COLUMN sealedDelivery TEXT'],
}
