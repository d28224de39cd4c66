//! Statements.

use super::interpretation::{Interpretation, Shape};
use super::{Field, Kind, Marker, Parser, Token};

/// The syntactic context of a simple statement.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Alone,
    For,
    Switch,
}

/// What a simple statement is.
enum Simple {
    /// An expression, not yet a statement.
    Expression(Interpretation),
    Statement,
    Range,
    /// `x := y.(type)`
    Guard,
}

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Option<()> {
        let open = self.open();
        self.expect(Token::LeftBrace)?;
        self.with_literals(true, Self::statement_list)?;
        self.expect(Token::RightBrace)?;
        self.close(Kind::Block, open);
        Some(())
    }

    /// The block after the header of a statement. To the grammar it may be the value of a composite literal, if another
    /// block follows.
    fn body(&mut self) -> Option<()> {
        let (found, end) = self.tail;
        let after_operand = end == self.lexer.at.last_end;
        self.block()?;
        if after_operand {
            self.tail = (found, self.lexer.at.last_end);
        }
        Some(())
    }

    fn ends_list(&self) -> bool {
        matches!(self.token(), Token::RightBrace | Token::Case | Token::Default)
    }

    /// Zero or more statements with their terminators.
    fn statement_list(&mut self) -> Option<()> {
        if self.ends_list() {
            return Some(());
        }
        let open = self.open();
        while !self.ends_list() {
            self.statement()?;
            if !self.ends_list() {
                self.end_of_line()?;
            }
        }
        self.close(Kind::StatementList, open);
        Some(())
    }

    /// The terminator of a statement.
    pub(super) fn end_of_line(&mut self) -> Option<()> {
        if !self.token().ends_line() {
            return None;
        }
        let position = self.lexer.at;
        self.advance();
        let (found, end) = self.tail;
        let counts = position.token == Token::Newline && end == position.last_end;
        (!counts || !found.continues_with(self.token())).then_some(())
    }

    pub(super) fn statement(&mut self) -> Option<()> {
        self.nested(|parser| match parser.token() {
            Token::Const => parser.const_declaration(),
            Token::Type => parser.type_declaration(),
            Token::Var => parser.var_declaration(),
            Token::Return => parser.return_statement(),
            Token::If => parser.if_statement(),
            Token::For => parser.for_statement(),
            Token::Switch => parser.switch_statement(),
            Token::Select => parser.select_statement(),
            Token::Go => parser.prefixed_statement(Kind::GoStatement),
            Token::Defer => parser.prefixed_statement(Kind::DeferStatement),
            Token::Break => parser.jump(Kind::BreakStatement),
            Token::Continue => parser.jump(Kind::ContinueStatement),
            Token::Goto => parser.jump(Kind::GotoStatement),
            Token::Fallthrough => {
                parser.leaf(Kind::FallthroughStatement);
                Some(())
            }
            Token::LeftBrace => parser.block(),
            Token::Semicolon => parser.empty_statement(),
            _ => parser.simple_statement(),
        })
    }

    fn empty_statement(&mut self) -> Option<()> {
        let at = self.lexer.at;
        self.nodes.leaf(Kind::EmptyStatement as u16, at.start, at.end);
        // A newline after it is a terminator even so.
        self.lexer.read(true);
        Some(())
    }

    fn return_statement(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if !self.token().ends_line() && !self.ends_list() && !self.at(Token::End) {
            self.expression_list()?;
        }
        self.close(Kind::ReturnStatement, open);
        Some(())
    }

    fn prefixed_statement(&mut self, kind: Kind) -> Option<()> {
        let open = self.open();
        self.advance();
        self.expression()?;
        self.close(kind, open);
        Some(())
    }

    fn jump(&mut self, kind: Kind) -> Option<()> {
        let open = self.open();
        self.advance();
        if self.token().is_name() || kind == Kind::GotoStatement {
            self.name(Kind::LabelName)?;
        }
        self.close(kind, open);
        Some(())
    }

    fn simple_statement(&mut self) -> Option<()> {
        let open = self.open();
        match self.simple(Context::Alone)? {
            Simple::Expression(found) if self.at(Token::Colon) => {
                (found.shape == Shape::Name).then_some(())?;
                self.labeled(open)
            }
            Simple::Expression(_) => {
                self.close(Kind::ExpressionStatement, open);
                Some(())
            }
            Simple::Statement => Some(()),
            Simple::Range | Simple::Guard => None,
        }
    }

    /// The last node is a label.
    fn labeled(&mut self, open: Marker) -> Option<()> {
        self.nodes.last()?.kind = Kind::LabelName as u16;
        self.field(Field::Label);
        self.advance();
        if !self.ends_list() {
            let mark = self.nodes.mark();
            self.statement()?;
            // The grammar accepts only one label without a statement.
            let inner = *self.nodes.last()?;
            if inner.kind == Kind::LabeledStatement as u16 && self.nodes.mark() - mark == 2 {
                return None;
            }
        }
        self.close(Kind::LabeledStatement, open);
        Some(())
    }

    fn simple(&mut self, position: Context) -> Option<Simple> {
        let open = self.open();
        if position == Context::For && self.at(Token::Range) {
            return self.range(open);
        }
        let found = self.operation(1)?;
        if found.shape == Shape::Guard && position == Context::Switch {
            self.field(Field::Value);
            return Some(Simple::Guard);
        }
        found.value()?;
        match self.token() {
            Token::Increment => self.advance_and_close(Kind::IncStatement, open),
            Token::Decrement => self.advance_and_close(Kind::DecStatement, open),
            Token::Arrow => self.send(open)?,
            Token::Comma | Token::Assign | Token::CompoundAssign | Token::Define => {
                return self.assignment(open, position);
            }
            _ => return Some(Simple::Expression(found)),
        }
        Some(Simple::Statement)
    }

    fn advance_and_close(&mut self, kind: Kind, open: Marker) {
        self.advance();
        self.close(kind, open);
    }

    fn send(&mut self, open: Marker) -> Option<()> {
        self.field(Field::Channel);
        self.advance();
        self.expression()?;
        self.field(Field::Value);
        self.close(Kind::SendStatement, open);
        Some(())
    }

    fn range(&mut self, open: Marker) -> Option<Simple> {
        self.advance();
        self.expression()?;
        self.field(Field::Right);
        self.close(Kind::RangeClause, open);
        Some(Simple::Range)
    }

    /// An assignment, declaration or range clause whose first expression is consumed.
    fn assignment(&mut self, open: Marker, position: Context) -> Option<Simple> {
        self.rest_of_list(open)?;
        self.field(Field::Left);
        let list = self.nodes.mark() - 1;
        let kind = match self.token() {
            Token::Define => Kind::ShortVarDeclaration,
            Token::Assign | Token::CompoundAssign => Kind::AssignmentStatement,
            _ => return None,
        };
        let ranges = position == Context::For && !self.at(Token::CompoundAssign);
        self.advance();
        if ranges && self.at(Token::Range) {
            return self.range(open);
        }
        let right = self.open();
        let found = self.operation(1)?;
        if found.shape == Shape::Guard
            && position == Context::Switch
            && kind == Kind::ShortVarDeclaration
        {
            self.field(Field::Value);
            self.nodes.node(list).field = Field::Alias as u16;
            return Some(Simple::Guard);
        }
        found.value()?;
        self.rest_of_list(right)?;
        self.field(Field::Right);
        self.close(kind, open);
        Some(Simple::Statement)
    }

    /// Makes the last node a statement, if it is an expression, and sets its field.
    fn close_part(&mut self, field: Field, simple: &Simple, open: Marker) -> Option<()> {
        match simple {
            Simple::Expression(_) => self.close(Kind::ExpressionStatement, open),
            Simple::Statement => {}
            Simple::Range | Simple::Guard => return None,
        }
        self.field(field);
        Some(())
    }

    fn if_statement(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        self.with_literals(false, Self::if_head)?;
        self.body()?;
        self.field(Field::Consequence);
        if self.skip(Token::Else) {
            match self.token() {
                Token::If => self.nested(Self::if_statement)?,
                _ => self.block()?,
            }
            self.field(Field::Alternative);
        }
        self.close(Kind::IfStatement, open);
        Some(())
    }

    fn if_head(&mut self) -> Option<()> {
        let open = self.open();
        let first = self.simple(Context::Alone)?;
        if self.at(Token::Semicolon) {
            self.close_part(Field::Initializer, &first, open)?;
            self.advance();
            self.expression()?;
        } else if !matches!(first, Simple::Expression(_)) {
            return None;
        }
        self.field(Field::Condition);
        Some(())
    }

    fn for_statement(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if !self.at(Token::LeftBrace) {
            self.with_literals(false, Self::for_head)?;
        }
        self.body()?;
        self.field(Field::Body);
        self.close(Kind::ForStatement, open);
        Some(())
    }

    fn for_head(&mut self) -> Option<()> {
        let open = self.open();
        if !self.at(Token::Semicolon) {
            let first = self.simple(Context::For)?;
            match first {
                Simple::Range => return Some(()),
                Simple::Expression(_) if !self.at(Token::Semicolon) => return Some(()),
                first => self.close_part(Field::Initializer, &first, open)?,
            }
        }
        self.expect(Token::Semicolon)?;
        if !self.at(Token::Semicolon) {
            self.expression()?;
            self.field(Field::Condition);
        }
        self.expect(Token::Semicolon)?;
        if !self.at(Token::LeftBrace) {
            let update = self.open();
            let last = self.simple(Context::Alone)?;
            self.close_part(Field::Update, &last, update)?;
        }
        self.close(Kind::ForClause, open);
        Some(())
    }

    fn switch_statement(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        let mut is_type_switch = false;
        if !self.at(Token::LeftBrace) {
            is_type_switch = self.with_literals(false, Self::switch_head)?;
        }
        if is_type_switch {
            self.cases(Self::type_case)?;
            self.close(Kind::TypeSwitchStatement, open);
        } else {
            self.cases(Self::expression_case)?;
            self.close(Kind::ExpressionSwitchStatement, open);
        }
        Some(())
    }

    /// The header of a `switch`; whether it is a type switch.
    fn switch_head(&mut self) -> Option<bool> {
        let open = self.open();
        let mut last = self.simple(Context::Switch)?;
        if self.at(Token::Semicolon) {
            self.close_part(Field::Initializer, &last, open)?;
            self.advance();
            if self.at(Token::LeftBrace) {
                return Some(false);
            }
            last = self.simple(Context::Switch)?;
        }
        match last {
            Simple::Guard => Some(true),
            Simple::Expression(_) => {
                self.field(Field::Value);
                Some(false)
            }
            _ => None,
        }
    }

    /// The cases, whose headers `head` parses, and the default.
    fn cases(&mut self, mut head: impl FnMut(&mut Self) -> Option<Kind>) -> Option<()> {
        self.expect(Token::LeftBrace)?;
        self.with_literals(true, |parser| {
            while !parser.at(Token::RightBrace) {
                let open = parser.open();
                let kind = match parser.token() {
                    Token::Case => {
                        parser.advance();
                        head(parser)?
                    }
                    Token::Default => {
                        parser.advance();
                        Kind::DefaultCase
                    }
                    _ => return None,
                };
                parser.expect(Token::Colon)?;
                parser.statement_list()?;
                parser.close(kind, open);
            }
            Some(())
        })?;
        self.advance();
        Some(())
    }

    fn expression_case(&mut self) -> Option<Kind> {
        self.expression_list()?;
        self.field(Field::Value);
        Some(Kind::ExpressionCase)
    }

    fn type_case(&mut self) -> Option<Kind> {
        loop {
            self.any_type()?;
            self.field(Field::Type);
            if !self.skip(Token::Comma) {
                return Some(Kind::TypeCase);
            }
        }
    }

    fn select_statement(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        self.cases(Self::communication_case)?;
        self.close(Kind::SelectStatement, open);
        Some(())
    }

    fn communication_case(&mut self) -> Option<Kind> {
        let open = self.open();
        self.expression()?;
        if self.at(Token::Arrow) {
            self.send(open)?;
        } else {
            if !self.at(Token::Colon) {
                self.rest_of_list(open)?;
                self.field(Field::Left);
                if !matches!(self.token(), Token::Assign | Token::Define) {
                    return None;
                }
                self.advance();
                self.expression()?;
            }
            self.field(Field::Right);
            self.close(Kind::ReceiveStatement, open);
        }
        self.field(Field::Communication);
        Some(Kind::CommunicationCase)
    }
}
