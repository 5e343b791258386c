import type { NoticeDto } from '../../shared/api/appliance-notices.ts'
import type { UserNoticeRow } from '../models/user-notice.ts'

export const presentNotice = ({ id, kind, byName, subject, createdAt }: UserNoticeRow): NoticeDto => ({
  id,
  kind,
  byName,
  subject,
  createdAt: new Date(createdAt).toISOString(),
})
