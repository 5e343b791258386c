/** Orders of power that their agents were told to carry out: an answer that is lost is repeated. */
export const confirmedPowerOrders = {
  name: '0066-confirmed-power-orders',
  up: ['ALTER TABLE power_orders ADD COLUMN confirmedAt INTEGER'],
}
