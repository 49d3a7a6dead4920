import { Receivers } from '../receivers/receivers.ts'
import { alertStories } from './alerts/all-stories.ts'

alertStories(await Receivers.open())
