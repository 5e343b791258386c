import { IconLockOpen, IconWifiOff } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import classes from './reach-note.module.css'

interface ReachNoteProps {
  /** Address that is given out. */
  url: string
  isReachableFromNetwork: boolean
  /** Consequences for what is given out. */
  texts: { localOnlyHint: string; plain: string; plainHint: string }
}

/** Warns that an address works on this computer only, or without encryption. */
export function ReachNote({ url, isReachableFromNetwork, texts }: ReachNoteProps) {
  const { can } = useSession()
  if (isReachableFromNetwork && !url.startsWith('http:')) {
    return null
  }
  const [Sign, title, hint] = isReachableFromNetwork
    ? [IconLockOpen, texts.plain, texts.plainHint]
    : [IconWifiOff, t.deploy.localOnly, texts.localOnlyHint]
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
