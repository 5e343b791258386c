/** Make of a device's agent; null until the agent reports again. */
export const agentMakes = {
  name: '0013-agent-makes',
  up: [`ALTER TABLE devices ADD COLUMN agentMake TEXT`],
}
