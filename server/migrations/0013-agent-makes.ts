/** Make of the agent of a device; null until the agent reports again. */
export const agentMakes = {
  name: '0013-agent-makes',
  up: [`ALTER TABLE devices ADD COLUMN agentMake TEXT`],
}
