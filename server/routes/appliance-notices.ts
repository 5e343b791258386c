import { applianceNotices } from '../../shared/api/appliance-notices.ts'
import { presentNotice } from '../presenters/notice.ts'
import { dismissNotices, listNotices } from '../services/rights/notices.ts'
import { implement } from './implement.ts'

export const applianceNoticeRoutes = implement(applianceNotices, {
  list: async (call) => ({ items: (await listNotices(call)).map(presentNotice) }),
  dismiss: (call, { body }) => dismissNotices(call, body.noticeIds),
})
