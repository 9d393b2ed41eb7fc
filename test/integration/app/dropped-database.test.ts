import { startTestService } from '../../support/service.ts';
import { describeDroppedDatabase } from './dropped-database.suite.ts';

describeDroppedDatabase(() => startTestService());
