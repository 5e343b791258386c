import { useQuery } from '@tanstack/react-query'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { deviceQueries } from '../api/device-queries.ts'

/** Make of a device's agent, and whether this server can update the agent; undefined until the server has answered. */
export const useDeviceAgent = ({ id, agentVersion }: DeviceResponseDto) =>
  useQuery(deviceQueries.agents([{ id, agentVersion }])).data?.get(id)
