import { IconLockOpen, IconWifiOff } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'
import classes from './deploy-page.module.css'

interface ReachNoteProps {
  serverUrl: string
  isReachableFromNetwork: boolean
}

/** Warns that the command works on this computer only, or that agents would connect without encryption. */
export function ReachNote({ serverUrl, isReachableFromNetwork }: ReachNoteProps) {
  const { can } = useSession()
  const [Sign, title, hint] = isReachableFromNetwork
    ? [IconLockOpen, t.deploy.plain, t.deploy.plainHint]
    : [IconWifiOff, t.deploy.localOnly, t.deploy.localOnlyHint]
  if (isReachableFromNetwork && !serverUrl.startsWith('http:')) {
    return null
  }
  return (
    <p className={`${classes.note} small`}>
      <Sign size={15} aria-hidden />
      <span>
        <strong>{title}</strong> {hint}{' '}
        {can('server.settings.write') ? <Link to="/network">{t.deploy.openNetwork}</Link> : t.deploy.askForNetwork}
      </span>
    </p>
  )
}
