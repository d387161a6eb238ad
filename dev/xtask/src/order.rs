//! Puts the functions of a program into an order in which they compress better, each once. What generic code was made
//! into for several types stands side by side then, as far as a compressor looks.

use std::collections::HashMap;

use anyhow::Result;
use wasm_encoder::{
    CodeSection, FunctionSection, Module,
    reencode::{Error, Reencode},
};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Parser, Payload, TypeRef};

/// The same program: its functions by their types and their bytes, and of those that are alike one.
pub(crate) fn in_order(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut wasm = wasm.to_vec();
    loop {
        let ordered = once(&wasm)?;
        // Functions that call what was alike may be alike now.
        if ordered.len() >= wasm.len() {
            return Ok(ordered);
        }
        wasm = ordered;
    }
}

fn once(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut order = Order::of(wasm)?;
    let mut module = Module::new();
    order.parse_core_module(&mut module, Parser::new(0), wasm)?;
    Ok(module.finish())
}

/// The numbers of functions before and after.
struct Order {
    /// Those of other modules come first, and stay.
    imported: u32,
    /// By its number before, without the imported ones: after.
    after: Vec<u32>,
    /// By its number after: before.
    before: Vec<usize>,
}

impl Order {
    fn of(wasm: &[u8]) -> Result<Self> {
        let (mut imported, mut types, mut bodies) = (0, Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(section) => {
                    types = section.into_iter().collect::<Result<Vec<_>, _>>()?;
                }
                Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
                _ => {}
            }
        }
        // By types first: the section that has one for each function is runs of the same number then.
        let key = |n: usize| (types[n], bodies[n]);
        let mut before: Vec<_> = (0..bodies.len()).collect();
        before.sort_by_key(|n| key(*n));
        before.dedup_by_key(|n| key(*n));
        let places: HashMap<_, _> = before.iter().map(|n| key(*n)).zip(0..).collect();
        Ok(Self {
            imported,
            after: (0..bodies.len()).map(|n| places[&key(n)]).collect(),
            before,
        })
    }
}

impl Reencode for Order {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Self::Error>> {
        Ok(match function.checked_sub(self.imported) {
            Some(own) => self.imported + self.after[own as usize],
            None => function,
        })
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        let types = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for n in &self.before {
            functions.function(types[*n]);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        let bodies = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for n in self.before.clone() {
            self.parse_function_body(code, bodies[n].clone())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        EntityType, ExportKind, ExportSection, Function, ImportSection, TypeSection, ValType,
    };

    use super::*;

    /// Each calls the function of that number, or returns the number itself.
    enum Body {
        Calls(u32),
        Returns(i32),
    }

    /// Its only import is function 0; the others are exported by their numbers.
    fn program(bodies: &[Body]) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I32]);
        let mut imports = ImportSection::new();
        imports.import("outside", "given", EntityType::Function(0));
        let (mut functions, mut exports) = (FunctionSection::new(), ExportSection::new());
        let mut code = CodeSection::new();
        for (n, body) in (1..).zip(bodies) {
            functions.function(0);
            exports.export(&n.to_string(), ExportKind::Func, n);
            let mut function = Function::new([]);
            match body {
                Body::Calls(other) => function.instructions().call(*other),
                Body::Returns(number) => function.instructions().i32_const(*number),
            };
            function.instructions().end();
            code.function(&function);
        }
        let mut module = Module::new();
        module.section(&types).section(&imports);
        module.section(&functions).section(&exports).section(&code);
        module.finish()
    }

    /// What each export does in the end, by its name.
    fn results(wasm: &[u8]) -> Vec<(String, String)> {
        use wasmparser::Operator;
        let (mut exports, mut bodies) = (Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.unwrap() {
                Payload::ExportSection(section) => {
                    exports = section.into_iter().map(Result::unwrap).collect();
                }
                Payload::CodeSectionEntry(body) => bodies.push(body),
                _ => {}
            }
        }
        let result = |mut index: u32| loop {
            let Some(own) = index.checked_sub(1) else {
                return "given".to_owned();
            };
            let mut operators = bodies[own as usize].get_operators_reader().unwrap();
            match operators.read().unwrap() {
                Operator::Call { function_index } => index = function_index,
                Operator::I32Const { value } => return value.to_string(),
                other => panic!("{other:?}"),
            }
        };
        let results = exports.iter();
        let results = results.map(|export| (export.name.to_owned(), result(export.index)));
        results.collect()
    }

    #[test]
    fn the_program_does_the_same_with_each_function_once() {
        use Body::{Calls, Returns};
        let whole = program(&[
            Returns(7),
            Calls(4),
            Returns(3),
            Returns(7),
            Calls(1),
            Calls(0),
            Returns(3),
        ]);
        let ordered = in_order(&whole).unwrap();
        assert_eq!(results(&ordered), results(&whole));
        let functions = Parser::new(0).parse_all(&ordered);
        let functions = functions.map(Result::unwrap);
        let functions = functions.filter(|it| matches!(it, Payload::CodeSectionEntry(_)));
        // Both that return 7, both that return 3, both that call the one that returns 7, and the outer one.
        assert_eq!(functions.count(), 4);
    }
}
