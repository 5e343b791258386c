import type { CustomerResponseDto } from '../../shared/dtos/customer.ts'
import type { CustomerRow } from '../models/customer.ts'

export const presentCustomer = ({
  id,
  name,
  description,
  notes,
  createdAt,
  deviceCount,
}: CustomerRow & { deviceCount: number }): CustomerResponseDto => ({
  id,
  name,
  description,
  notes,
  createdAt: new Date(createdAt).toISOString(),
  deviceCount,
})
